// Ctrl-C (SIGINT) as a question instead of the end of the program, as long as the object lives.
#pragma once

#include <signal.h>

namespace driftwood::cli {

class Interrupt {
 public:
  /// Reads that wait return with EINTR, so that what waits can ask too.
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// Whether Ctrl-C was pressed since the last clear().
  static bool raised();
  static void clear();

 private:
  struct sigaction before_ = {};
};

}  // namespace driftwood::cli

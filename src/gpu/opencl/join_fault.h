// The word of memory in which the joined programs of a device (joined_program.h) say that a wait gave up.
#pragma once

#include <cstdint>
#include <memory>

#include "gpu/opencl/context.h"

namespace driftwood::gpu::opencl {

class JoinFault {
 public:
  /// Throws OutOfMemory or DeviceLost where the driver has no memory for it.
  explicit JoinFault(std::shared_ptr<Context> context);

  cl_mem word() const { return word_.get(); }
  /// A program was launched that may set it.
  void note_launch() { ++launched_; }
  /// Launches so far, and those whose end was looked at.
  std::uint64_t launched() const { return launched_; }
  bool is_unseen() const { return seen_ != launched_; }
  /// What the word was after so many launches. Throws LaunchGaveUp where a wait had given up.
  void note(std::uint32_t word, std::uint64_t launched);
  /// Whether a wait has given up: nothing is joined from then on.
  bool has_happened() const { return has_happened_; }
  /// Reads the word, if a program was launched since, after all that was submitted, and takes it back. True the first
  /// time that a wait has given up.
  bool look();
  /// The same, and throws LaunchGaveUp.
  void check();

 private:
  std::shared_ptr<Context> context_;
  MemHandle word_;
  std::uint64_t launched_ = 0, seen_ = 0;
  bool has_happened_ = false;
};

}  // namespace driftwood::gpu::opencl

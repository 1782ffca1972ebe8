// A progress line on standard error, shown only where that is a terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace driftwood::cli {

class ProgressLine {
 public:
  explicit ProgressLine(std::string what);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Shows a bar and how far the work is; wipes the line when all is done.
  void update(std::size_t done, std::size_t all, const std::string& remark = {});

 private:
  void wipe();

  std::string what_;
  bool shown_ = false;
  bool is_terminal_;
  std::chrono::steady_clock::time_point last_ = {};
};

}  // namespace driftwood::cli

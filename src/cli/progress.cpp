#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace driftwood::cli {

ProgressLine::ProgressLine(std::string what) : what_(std::move(what)), is_terminal_(::isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() { wipe(); }

void ProgressLine::wipe() {
  if (shown_) fmt::print(stderr, "\r\033[K");
  shown_ = false;
}

void ProgressLine::update(std::size_t done, std::size_t all, const std::string& remark) {
  if (!is_terminal_) return;
  if (done == all) return wipe();
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < std::chrono::milliseconds(50)) return;
  last_ = now;
  constexpr std::size_t width = 20;
  const std::size_t filled = done * width / all;
  fmt::print(stderr, "\r\033[K{} [{}{}] {}/{} {}", what_, std::string(filled, '='), std::string(width - filled, ' '),
             done, all, remark);
  std::fflush(stderr);
  shown_ = true;
}

}  // namespace driftwood::cli

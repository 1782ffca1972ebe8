#include "base/log.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdio>

namespace driftwood {
namespace {

// The one process-wide setting: where a line goes is the process's standard error, which is global too.
std::atomic<LogLevel> current_level = LogLevel::Info;

std::string_view prefix(LogLevel level) {
  switch (level) {
    case LogLevel::Error: return "error: ";
    case LogLevel::Warning: return "warning: ";
    case LogLevel::Info: return "";
    case LogLevel::Debug: return "debug: ";
  }
  return "";
}

}  // namespace

void set_log_level(LogLevel level) { current_level = level; }
LogLevel log_level() { return current_level; }

void log(LogLevel level, std::string_view message) {
  if (level > current_level.load()) return;
  const std::string line = fmt::format("driftwood: {}{}\n", prefix(level), message);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace driftwood

// Diagnostics on standard error. Results never pass through here: they belong on standard output.
#pragma once

#include <string_view>

namespace driftwood {

enum class LogLevel { Error, Warning, Info, Debug };

/// Messages above this level are dropped. Default: Info.
void set_log_level(LogLevel level);
LogLevel log_level();

/// Writes one line "driftwood: [warning: ]MESSAGE" to standard error.
void log(LogLevel level, std::string_view message);

}  // namespace driftwood

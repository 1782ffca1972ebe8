// Names from files, fit for messages.
#pragma once

#include <string>
#include <string_view>

namespace driftwood {

/// `text` in single quotes, with control characters, quotes and bytes past ASCII as \xNN and the middle of anything
/// longer than 80 bytes left out, so that a hostile name can neither flood a terminal nor steer it.
std::string quote_name(std::string_view text);

}  // namespace driftwood

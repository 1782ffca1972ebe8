// Words that WGSL keeps for itself (W3C WGSL, section 15.1 and 15.2).
#pragma once

#include <string_view>

namespace driftwood::shader {

bool is_keyword(std::string_view word);

/// Words that no declaration may be named, though they have no meaning yet.
bool is_reserved_word(std::string_view word);

}  // namespace driftwood::shader

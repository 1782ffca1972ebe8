// The two encodings of PNG's text chunks.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace driftwood::png_text {

std::string from_latin1(std::string_view text);

/// `text` with U+FFFD for NUL and for each byte that belongs to no character.
std::string valid_utf8(std::string_view text);

/// None where a character of the valid UTF-8 is past Latin-1, or a control character other than a line feed.
std::optional<std::string> to_latin1(std::string_view utf8);

}  // namespace driftwood::png_text

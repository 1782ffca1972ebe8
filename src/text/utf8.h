// UTF-8 by hand, for text that may not be UTF-8: nothing here throws.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace driftwood::utf8 {

struct Character {
  char32_t code = 0;       // U+FFFD where invalid
  std::size_t length = 0;  // bytes; 1 where invalid, 0 at the end of the text
  bool valid = false;
};

/// The character at `text[at]`. Overlong forms, surrogates and codes over U+10FFFF are invalid.
Character decode(std::string_view text, std::size_t at);

/// Appends the encoding of `code`, which must be at most U+10FFFF.
void append(std::string& out, char32_t code);

bool is_valid(std::string_view text);

/// Bytes at the end of `text` that begin a character and could still become a whole one (0 to 3).
std::size_t incomplete_suffix(std::string_view text);

/// `text` with U+FFFD for each byte that belongs to no character.
std::string replace_invalid(std::string_view text);

/// Unicode's White_Space property.
bool is_white_space(char32_t code);

}  // namespace driftwood::utf8

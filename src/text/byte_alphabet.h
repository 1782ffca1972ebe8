// GPT-2's byte alphabet: each byte has a printable character, so that a vocabulary of byte strings can be
// written as text. Printable Latin-1 bytes stand for themselves; the others are U+0100, U+0101, ... in order.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace driftwood::byte_alphabet {

/// The character of a byte.
char32_t character_of(unsigned char byte);

/// The byte of a character; none where the alphabet lacks it.
std::optional<unsigned char> byte_of(char32_t character);

/// Bytes to text.
std::string encode(std::string_view bytes);

/// Text to bytes; what is not of the alphabet stays as it is.
std::string decode(std::string_view text);

}  // namespace driftwood::byte_alphabet

#include "text/byte_alphabet.h"

#include <array>

#include "text/utf8.h"

namespace driftwood::byte_alphabet {

namespace {

constexpr bool stands_for_itself(unsigned byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

constexpr char32_t first_substitute = 0x100;
constexpr std::size_t substitutes = 0x21 + (0xA1 - 0x7F) + 1;  // 0..20, 7F..A0 and AD

struct Tables {
  std::array<char32_t, 256> character{};
  std::array<unsigned char, substitutes> byte{};
};

constexpr Tables make_tables() {
  Tables tables;
  std::size_t next = 0;
  for (unsigned byte = 0; byte < 256; ++byte) {
    if (stands_for_itself(byte)) {
      tables.character[byte] = byte;
    } else {
      tables.character[byte] = first_substitute + static_cast<char32_t>(next);
      tables.byte[next++] = static_cast<unsigned char>(byte);
    }
  }
  return tables;
}

constexpr Tables tables = make_tables();

}  // namespace

char32_t character_of(unsigned char byte) { return tables.character[byte]; }

std::optional<unsigned char> byte_of(char32_t character) {
  if (character < 256 && stands_for_itself(character)) return static_cast<unsigned char>(character);
  if (character >= first_substitute && character < first_substitute + substitutes) {
    return tables.byte[character - first_substitute];
  }
  return std::nullopt;
}

std::string encode(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char byte : bytes) utf8::append(text, character_of(static_cast<unsigned char>(byte)));
  return text;
}

std::string decode(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const utf8::Character character = utf8::decode(text, at);
    const auto byte = character.valid ? byte_of(character.code) : std::nullopt;
    if (byte) {
      bytes.push_back(static_cast<char>(*byte));
    } else {
      bytes.append(text.substr(at, character.length));
    }
    at += character.length;
  }
  return bytes;
}

}  // namespace driftwood::byte_alphabet

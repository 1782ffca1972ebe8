#include "text/utf8.h"

namespace driftwood::utf8 {

namespace {

constexpr char32_t replacement = 0xFFFD;

/// The length that a first byte promises, and the range of the second byte (Unicode 15, table 3-7).
struct Lead {
  std::size_t length = 0;
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
};

Lead lead_of(unsigned char byte) {
  if (byte < 0x80) return {1};
  if (byte < 0xC2) return {};
  if (byte < 0xE0) return {2};
  if (byte == 0xE0) return {3, 0xA0};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte < 0xF0) return {3};
  if (byte == 0xF0) return {4, 0x90};
  if (byte < 0xF4) return {4};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {};
}

unsigned char byte_at(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

/// How many of the bytes from `at` on fit one character; all of them: it is whole.
std::size_t fitting(std::string_view text, std::size_t at, const Lead& lead) {
  std::size_t count = 1;
  for (; count < lead.length && at + count < text.size(); ++count) {
    const unsigned char byte = byte_at(text, at + count);
    const bool fits = count == 1 ? byte >= lead.low && byte <= lead.high : byte >= 0x80 && byte <= 0xBF;
    if (!fits) break;
  }
  return count;
}

}  // namespace

Character decode(std::string_view text, std::size_t at) {
  if (at >= text.size()) return {replacement, 0, false};
  const unsigned char first = byte_at(text, at);
  const Lead lead = lead_of(first);
  if (lead.length == 1) return {first, 1, true};
  if (lead.length == 0 || fitting(text, at, lead) < lead.length) return {replacement, 1, false};
  char32_t code = first & (0xFFU >> (lead.length + 1));
  for (std::size_t i = 1; i < lead.length; ++i) code = code << 6 | (byte_at(text, at + i) & 0x3FU);
  return {code, lead.length, true};
}

void append(std::string& out, char32_t code) {
  const auto put = [&](char32_t byte) { out.push_back(static_cast<char>(static_cast<unsigned char>(byte))); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

bool is_valid(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const Character character = decode(text, at);
    if (!character.valid) return false;
    at += character.length;
  }
  return true;
}

std::size_t incomplete_suffix(std::string_view text) {
  for (std::size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    const std::size_t at = text.size() - back;
    const Lead lead = lead_of(byte_at(text, at));
    if (lead.length == 1) return 0;
    if (lead.length > 1) return lead.length > back && fitting(text, at, lead) == back ? back : 0;
  }
  return 0;
}

std::string replace_invalid(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Character character = decode(text, at);
    if (character.valid) {
      out.append(text.substr(at, character.length));
    } else {
      append(out, replacement);
    }
    at += character.length;
  }
  return out;
}

bool is_white_space(char32_t code) {
  return (code >= 0x09 && code <= 0x0D) || code == 0x20 || code == 0x85 || code == 0xA0 || code == 0x1680 ||
         (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 || code == 0x202F || code == 0x205F ||
         code == 0x3000;
}

}  // namespace driftwood::utf8

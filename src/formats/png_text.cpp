#include "formats/png_text.h"

#include <utf8proc.h>

#include <array>

namespace driftwood::png_text {
namespace {

constexpr utf8proc_int32_t replacement = 0xFFFD;

void append(std::string& out, utf8proc_int32_t code) {
  std::array<utf8proc_uint8_t, 4> bytes{};
  const auto count = utf8proc_encode_char(code, bytes.data());
  out.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(count));
}

/// Takes the first character off `text`; U+FFFD where a byte belongs to none.
utf8proc_int32_t take(std::string_view& text) {
  utf8proc_int32_t code = replacement;
  const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                       static_cast<utf8proc_ssize_t>(text.size()), &code);
  text.remove_prefix(length > 0 ? static_cast<std::size_t>(length) : 1);
  return length > 0 ? code : replacement;
}

bool is_allowed_in_latin1(utf8proc_int32_t code) {
  return code == '\n' || (code >= 0x20 && code <= 0x7E) || (code >= 0xA0 && code <= 0xFF);
}

}  // namespace

std::string from_latin1(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char byte : text) append(out, static_cast<unsigned char>(byte));
  return out;
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const utf8proc_int32_t code = take(text);
    append(out, code == 0 ? replacement : code);
  }
  return out;
}

std::optional<std::string> to_latin1(std::string_view utf8) {
  std::string out;
  out.reserve(utf8.size());
  while (!utf8.empty()) {
    const utf8proc_int32_t code = take(utf8);
    if (!is_allowed_in_latin1(code)) return std::nullopt;
    out += static_cast<char>(code);
  }
  return out;
}

}  // namespace driftwood::png_text

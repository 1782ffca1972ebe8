#include "text/normalizer.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <vector>

#include "text/utf8.h"

namespace driftwood {

namespace {

using Code = utf8proc_int32_t;

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

int combining_class(Code code) { return utf8proc_get_property(code)->combining_class; }

/// Appends the full canonical decomposition of one character.
void decompose(Code code, std::vector<Code>& out) {
  std::array<Code, 32> parts{};  // Unicode's longest has 4
  int boundary = 0;
  const auto count =
      utf8proc_decompose_char(code, parts.data(), static_cast<int>(parts.size()), UTF8PROC_DECOMPOSE, &boundary);
  if (count < 1 || count > static_cast<utf8proc_ssize_t>(parts.size())) {
    out.push_back(code);
  } else {
    out.insert(out.end(), parts.begin(), parts.begin() + count);
  }
}

/// Canonical order: marks between two starters by combining class. The library sorts by exchanging neighbours, which a
/// hostile run of marks makes quadratic.
void order_marks(std::vector<Code>& codes) {
  for (std::size_t at = 0; at < codes.size();) {
    std::size_t end = at;
    while (end < codes.size() && combining_class(codes[end]) != 0) ++end;
    std::stable_sort(codes.begin() + static_cast<std::ptrdiff_t>(at), codes.begin() + static_cast<std::ptrdiff_t>(end),
                     [](Code a, Code b) { return combining_class(a) < combining_class(b); });
    at = end + 1;
  }
}

/// Appends the composed form of `codes`, which are left in no useful state.
void append_composed(std::vector<Code>& codes, std::string& out) {
  order_marks(codes);
  const auto options = static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE);
  const auto count = utf8proc_normalize_utf32(codes.data(), static_cast<utf8proc_ssize_t>(codes.size()), options);
  if (count >= 0) codes.resize(static_cast<std::size_t>(count));
  for (const Code code : codes) utf8::append(out, static_cast<char32_t>(code));
  codes.clear();
}

std::string composed(std::string_view text) {
  if (is_ascii(text)) return std::string(text);
  std::string out;
  out.reserve(text.size());
  std::vector<Code> codes;
  for (std::size_t at = 0; at < text.size();) {
    const utf8::Character character = utf8::decode(text, at);
    if (character.valid) {
      decompose(static_cast<Code>(character.code), codes);
    } else {
      append_composed(codes, out);
      out.append(text.substr(at, character.length));
    }
    at += character.length;
  }
  append_composed(codes, out);
  return out;
}

template <class Append>
std::string by_character(std::string_view text, const Append& append) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const utf8::Character character = utf8::decode(text, at);
    if (character.valid) {
      append(character.code, out);
    } else {
      out.append(text.substr(at, character.length));
    }
    at += character.length;
  }
  return out;
}

std::string single_spaces(std::string_view text) {
  bool is_after_space = false;
  return by_character(text, [&](char32_t code, std::string& out) {
    const bool is_space = utf8::is_white_space(code);
    if (!is_space) utf8::append(out, code);
    if (is_space && !is_after_space) out += ' ';
    is_after_space = is_space;
  });
}

std::string lower_case(std::string_view text) {
  return by_character(text, [](char32_t code, std::string& out) {
    constexpr char32_t capital_i_with_dot = 0x130;
    if (code == capital_i_with_dot) {
      // The one character whose lower case is always two (Unicode's SpecialCasing.txt).
      out += "i\xCC\x87";
    } else {
      utf8::append(out, static_cast<char32_t>(utf8proc_tolower(static_cast<Code>(code))));
    }
  });
}

}  // namespace

std::string normalize(std::string_view text, std::span<const NormalizerStep> steps) {
  std::string out(text);
  for (const NormalizerStep step : steps) {
    switch (step) {
      case NormalizerStep::ComposedForm: out = composed(out); break;
      case NormalizerStep::SingleSpaces: out = single_spaces(out); break;
      case NormalizerStep::LowerCase: out = lower_case(out); break;
    }
  }
  return out;
}

}  // namespace driftwood

#include "text/jinja/python_text.h"

#include <algorithm>

#include "text/utf8.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace driftwood::jinja {

namespace {

/// Substitutes every character through PCRE2, whose tables know the cases of letters.
std::string with_case(std::string_view text, std::string_view replacement, bool upper) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::all_of(text.begin(), text.end(), is_ascii) || !utf8::is_valid(text)) {
    std::string out(text);
    for (char& c : out) {
      if (upper && c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
      if (!upper && c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    }
    return out;
  }
  const auto compile = [] {
    int code = 0;
    PCRE2_SIZE offset = 0;
    return pcre2_compile(reinterpret_cast<PCRE2_SPTR>("(?s).+"), PCRE2_ZERO_TERMINATED, PCRE2_UTF | PCRE2_UCP, &code,
                         &offset, nullptr);
  };
  static pcre2_code* const everything = compile();
  std::string out(text.size() * 2 + 16, '\0');  // no letter's partner is more than a byte longer than itself
  PCRE2_SIZE length = out.size();
  const int result =
      pcre2_substitute(everything, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), 0, PCRE2_SUBSTITUTE_EXTENDED,
                       nullptr, nullptr, reinterpret_cast<PCRE2_SPTR>(replacement.data()), replacement.size(),
                       reinterpret_cast<PCRE2_UCHAR*>(out.data()), &length);
  if (result < 0) return std::string(text);
  out.resize(length);
  return out;
}

std::string_view between(std::string_view text, std::size_t begin, std::size_t end) {
  return text.substr(begin, end - begin);
}

template <class IsStripped>
std::string_view strip_if(std::string_view text, Side side, const IsStripped& is_stripped) {
  std::size_t begin = std::string_view::npos;
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size();) {
    const utf8::Character character = utf8::decode(text, at);
    if (!is_stripped(text.substr(at, character.length), character.code)) {
      begin = std::min(begin, at);
      end = at + character.length;
    }
    at += character.length;
  }
  if (side == Side::Right) begin = 0;
  if (side == Side::Left) end = text.size();
  if (begin == std::string_view::npos || begin >= end) return {};
  return between(text, begin, end);
}

}  // namespace

bool is_space(char32_t code) { return utf8::is_white_space(code) || (code >= 0x1C && code <= 0x1F); }

std::size_t length_of(std::string_view text) {
  std::size_t length = 0;
  for (std::size_t at = 0; at < text.size(); at += utf8::decode(text, at).length) ++length;
  return length;
}

std::vector<std::string_view> characters_of(std::string_view text) {
  std::vector<std::string_view> characters;
  for (std::size_t at = 0; at < text.size(); at += characters.back().size()) {
    characters.push_back(text.substr(at, utf8::decode(text, at).length));
  }
  return characters;
}

std::string_view strip(std::string_view text, Side side) {
  return strip_if(text, side, [](std::string_view, char32_t code) { return is_space(code); });
}

std::string_view strip(std::string_view text, std::string_view set, Side side) {
  const auto members = characters_of(set);
  return strip_if(text, side, [&](std::string_view character, char32_t) {
    return std::find(members.begin(), members.end(), character) != members.end();
  });
}

std::vector<std::string_view> split_words(std::string_view text, long most) {
  std::vector<std::string_view> words;
  text = strip(text, Side::Left);
  while (!text.empty()) {
    std::size_t end = 0;
    if (most >= 0 && static_cast<long>(words.size()) == most) {
      end = text.size();
    } else {
      while (end < text.size()) {
        const utf8::Character character = utf8::decode(text, end);
        if (is_space(character.code)) break;
        end += character.length;
      }
    }
    words.push_back(text.substr(0, end));
    while (end < text.size()) {
      const utf8::Character character = utf8::decode(text, end);
      if (!is_space(character.code)) break;
      end += character.length;
    }
    text.remove_prefix(end);
  }
  return words;
}

std::vector<std::string_view> split_at(std::string_view text, std::string_view separator, long most) {
  std::vector<std::string_view> parts;
  std::size_t at = 0;
  for (std::size_t found; (most < 0 || static_cast<long>(parts.size()) < most) &&
                          (found = text.find(separator, at)) != std::string_view::npos;
       at = found + separator.size()) {
    parts.push_back(between(text, at, found));
  }
  parts.push_back(text.substr(at));
  return parts;
}

std::vector<std::string_view> split_at_right(std::string_view text, std::string_view separator, long most) {
  std::vector<std::string_view> parts;
  std::size_t end = text.size();
  while ((most < 0 || static_cast<long>(parts.size()) < most) && end >= separator.size()) {
    const std::size_t found = text.rfind(separator, end - separator.size());
    if (found == std::string_view::npos) break;
    parts.push_back(between(text, found + separator.size(), end));
    end = found;
  }
  parts.push_back(text.substr(0, end));
  std::reverse(parts.begin(), parts.end());
  return parts;
}

std::vector<std::string_view> split_lines(std::string_view text, bool keep_ends) {
  std::vector<std::string_view> lines;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size();) {
    const utf8::Character character = utf8::decode(text, at);
    const char32_t code = character.code;
    const std::size_t end = at;
    at += character.length;
    const bool ends_line = (code >= 0x0A && code <= 0x0D) || (code >= 0x1C && code <= 0x1E) || code == 0x85 ||
                           code == 0x2028 || code == 0x2029;
    if (!ends_line) continue;
    if (code == '\r' && at < text.size() && text[at] == '\n') ++at;
    lines.push_back(between(text, begin, keep_ends ? at : end));
    begin = at;
  }
  if (begin < text.size()) lines.push_back(text.substr(begin));
  return lines;
}

std::string replace_all(std::string_view text, std::string_view from, std::string_view to, long most) {
  std::string out;
  long count = 0;
  if (from.empty()) {
    for (const std::string_view character : characters_of(text)) {
      if (most < 0 || count++ < most) out += to;
      out += character;
    }
    if (most < 0 || count < most) out += to;
    return out;
  }
  std::size_t at = 0;
  for (std::size_t found; (most < 0 || count < most) && (found = text.find(from, at)) != std::string_view::npos;
       at = found + from.size(), ++count) {
    out.append(between(text, at, found)).append(to);
  }
  return out.append(text.substr(at));
}

std::string upper(std::string_view text) { return with_case(text, "\\U$0", true); }
std::string lower(std::string_view text) { return with_case(text, "\\L$0", false); }

std::string capitalize(std::string_view text) {
  const std::size_t first = utf8::decode(text, 0).length;
  return upper(text.substr(0, first)) + lower(text.substr(first));
}

std::string title(std::string_view text) {
  std::string out;
  bool in_word = false;
  for (const std::string_view character : characters_of(text)) {
    out += in_word ? lower(character) : upper(character);
    in_word = lower(character) != upper(character);
  }
  return out;
}

}  // namespace driftwood::jinja

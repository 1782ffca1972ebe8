#include "text/jinja/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "text/utf8.h"

namespace driftwood::jinja {

namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

/// All line ends as "\n"; the last one dropped.
std::string normalized(std::string_view source) {
  std::string out;
  out.reserve(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r') {
      out += '\n';
      if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
    } else {
      out += source[i];
    }
  }
  if (out.ends_with('\n')) out.pop_back();
  return out;
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(normalized(source)) {}

  std::vector<Token> run() {
    while (at_ < source_.size()) read_text_and_tag();
    put(TokenKind::End, "");
    return std::move(tokens_);
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    throw InvalidInput(fmt::format("{}: {}.", describe(place_), what));
  }

  char peek(std::size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }
  bool looking_at(std::string_view text) const { return std::string_view(source_).substr(at_).starts_with(text); }

  void advance(std::size_t count) {
    const auto begin = source_.begin() + static_cast<std::ptrdiff_t>(at_);
    const auto end = begin + static_cast<std::ptrdiff_t>(count);
    if (const auto lines = std::count(begin, end, '\n'); lines > 0) {
      place_.line += static_cast<int>(lines);
      const auto last = std::find(std::make_reverse_iterator(end), std::make_reverse_iterator(begin), '\n');
      place_.column = 1 + static_cast<int>(end - last.base());
    } else {
      place_.column += static_cast<int>(count);
    }
    at_ += count;
  }

  void put(TokenKind kind, std::string text) { tokens_.push_back({kind, std::move(text), place_}); }

  void read_text_and_tag() {
    std::size_t open = source_.find('{', at_);
    while (open != std::string::npos &&
           (open + 1 == source_.size() || std::string_view("%{#").find(source_[open + 1]) == std::string_view::npos)) {
      open = source_.find('{', open + 1);
    }
    std::string text = source_.substr(at_, open == std::string::npos ? open : open - at_);
    const std::size_t length = text.size();
    if (open != std::string::npos) strip_before_tag(text, source_[open + 1], open + 2);
    if (!text.empty()) put(TokenKind::Text, std::move(text));
    advance(length);
    if (open == std::string::npos) return;
    const char kind = source_[open + 1];
    const Place place = place_;
    advance(2);
    if (kind == '#') {
      read_comment();
    } else {
      if (peek() == '-' || peek() == '+') advance(1);
      if (kind == '%' && read_raw()) return;
      read_tag(kind == '%', place);
    }
  }

  /// The tag's "-" takes all white space before it; without "+", a block or comment takes the blanks of its line.
  void strip_before_tag(std::string& text, char kind, std::size_t after) const {
    const char sign = after < source_.size() ? source_[after] : '\0';
    if (sign == '-') {
      while (!text.empty() && is_space(text.back())) text.pop_back();
    } else if (sign != '+' && kind != '{') {
      const std::size_t line_begin = text.rfind('\n') + 1;  // 0 where there is none
      const bool is_line_start = line_begin > 0 || at_ == 0 || source_[at_ - 1] == '\n';
      if (is_line_start && std::all_of(text.begin() + static_cast<std::ptrdiff_t>(line_begin), text.end(), is_space)) {
        text.resize(line_begin);
      }
    }
  }

  /// After "%}" or "#}": with "-" before, all white space goes; without "+", one newline.
  void strip_after_tag(char sign) {
    if (sign == '-') {
      while (is_space(peek())) advance(1);
    } else if (sign != '+' && peek() == '\n') {
      advance(1);
    }
  }

  void read_comment() {
    const std::size_t close = source_.find("#}", at_);
    if (close == std::string::npos) fail("a comment '{#' is not closed");
    const char sign = close > at_ ? source_[close - 1] : '\0';
    advance(close + 2 - at_);
    strip_after_tag(sign == '-' || sign == '+' ? sign : '\0');
  }

  /// "{% raw %}...{% endraw %}" after "{%"; false where it is another block.
  bool read_raw() {
    std::size_t i = at_;
    const auto skip_spaces = [&] {
      while (i < source_.size() && is_space(source_[i])) ++i;
    };
    const auto take = [&](std::string_view word) {
      if (!std::string_view(source_).substr(i).starts_with(word)) return false;
      i += word.size();
      return true;
    };
    skip_spaces();
    if (!take("raw")) return false;
    skip_spaces();
    const bool strips = take("-");
    if (!take("%}")) return false;
    if (strips) {
      skip_spaces();
    } else {
      take("\n");
    }
    const std::size_t begin = i;
    for (std::size_t open = source_.find("{%", begin); open != std::string::npos; open = source_.find("{%", open + 2)) {
      i = open + 2;
      const bool strips_before = take("-");
      if (!strips_before) take("+");
      skip_spaces();
      if (!take("endraw")) continue;
      skip_spaces();
      const char sign = take("-") ? '-' : take("+") ? '+' : '\0';
      if (!take("%}")) continue;
      std::string text = source_.substr(begin, open - begin);
      at_ = begin;
      strip_before_tag(text, '%', open + 2);
      if (!text.empty()) put(TokenKind::Text, std::move(text));
      advance(i - begin);
      strip_after_tag(sign);
      return true;
    }
    fail("a block '{% raw %}' is not closed");
  }

  void read_tag(bool is_block, Place place) {
    tokens_.push_back({is_block ? TokenKind::BlockBegin : TokenKind::PrintBegin, "", place});
    const std::string_view close = is_block ? "%}" : "}}";
    int open_brackets = 0;
    while (true) {
      while (is_space(peek())) advance(1);
      if (at_ >= source_.size()) fail(fmt::format("a tag '{}' is not closed", is_block ? "{%" : "{{"));
      const bool has_sign = (peek() == '-' || (is_block && peek() == '+')) &&
                            std::string_view(source_).substr(at_ + 1).starts_with(close);
      if (open_brackets == 0 && (has_sign || looking_at(close))) {
        const char sign = has_sign ? peek() : '\0';
        put(is_block ? TokenKind::BlockEnd : TokenKind::PrintEnd, "");
        advance(close.size() + (has_sign ? 1 : 0));
        if (is_block || sign == '-') strip_after_tag(sign);
        return;
      }
      read_token(open_brackets);
    }
  }

  void read_token(int& open_brackets) {
    const char c = peek();
    if (is_name_start(c)) {
      std::size_t length = 1;
      while (is_name_start(peek(length)) || is_digit(peek(length))) ++length;
      put(TokenKind::Name, source_.substr(at_, length));
      advance(length);
    } else if (is_digit(c)) {
      read_number();
    } else if (c == '\'' || c == '"') {
      read_string(c);
    } else {
      read_operator(open_brackets);
    }
  }

  void read_number() {
    std::string digits;
    bool is_float = false;
    const auto take_digits = [&] {
      while (is_digit(peek()) || (peek() == '_' && is_digit(peek(1)))) {
        if (peek() != '_') digits += peek();
        advance(1);
      }
    };
    take_digits();
    if (peek() == '.' && is_digit(peek(1))) {
      is_float = true;
      digits += '.';
      advance(1);
      take_digits();
    }
    const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
    if ((peek() == 'e' || peek() == 'E') && is_digit(peek(1 + sign))) {
      is_float = true;
      digits += source_.substr(at_, 1 + sign);
      advance(1 + sign);
      take_digits();
    }
    put(is_float ? TokenKind::Float : TokenKind::Integer, digits);
  }

  void read_string(char quote) {
    const Place place = place_;
    std::string text;
    advance(1);
    while (peek() != quote || at_ >= source_.size()) {
      if (at_ >= source_.size()) fail("a string is not closed");
      if (peek() == '\\' && at_ + 1 < source_.size()) {
        read_escape(text);
      } else {
        text += peek();
        advance(1);
      }
    }
    advance(1);
    tokens_.push_back({TokenKind::String, std::move(text), place});
  }

  /// Python's escapes; an unknown one stands for itself, backslash and all.
  void read_escape(std::string& text) {
    constexpr std::string_view names = "nrtbfav0\\'\"\n";
    constexpr std::string_view meanings("\n\r\t\b\f\a\v\0\\'\"", 11);
    const char c = peek(1);
    const std::size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    char32_t code = 0;
    std::size_t read = 0;
    for (; read < digits; ++read) {
      const char digit = peek(2 + read);
      const std::size_t value = std::string_view("0123456789abcdef")
                                    .find(digit >= 'A' && digit <= 'F' ? static_cast<char>(digit + 32) : digit);
      if (digit == '\0' || value == std::string_view::npos) break;
      code = code << 4 | static_cast<char32_t>(value);
    }
    if (digits > 0) {
      if (read < digits || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) fail("a string has a broken escape");
      utf8::append(text, code);
      advance(2 + digits);
      return;
    }
    const std::size_t name = names.find(c);
    if (name == std::string_view::npos) {
      text += {'\\', c};
    } else if (name < meanings.size()) {
      text += meanings[name];
    }
    advance(2);
  }

  void read_operator(int& open_brackets) {
    static constexpr std::array<std::string_view, 27> operators = {"**", "//", "==", "!=", "<=", ">=", "+", "-", "*",
                                                                   "/",  "%",  "~",  "<",  ">",  "=",  "(", ")", "[",
                                                                   "]",  "{",  "}",  ",",  ":",  ".",  "|", ";", "!"};
    for (const std::string_view candidate : operators) {
      if (!looking_at(candidate)) continue;
      if (std::string_view("([{").find(candidate) != std::string_view::npos) ++open_brackets;
      if (std::string_view(")]}").find(candidate) != std::string_view::npos && --open_brackets < 0) {
        fail(fmt::format("'{}' closes nothing", candidate));
      }
      put(TokenKind::Operator, std::string(candidate));
      advance(candidate.size());
      return;
    }
    fail(fmt::format("the character 0x{:02X} is not expected", static_cast<unsigned char>(peek())));
  }

  std::string source_;
  std::size_t at_ = 0;
  Place place_ = {1, 1};
  std::vector<Token> tokens_;
};

}  // namespace

std::string describe(Place place) {
  return fmt::format("Line {}, column {} of the chat template", place.line, place.column);
}

std::vector<Token> tokenize_template(std::string_view source) { return Lexer(source).run(); }

}  // namespace driftwood::jinja

#include "shader/lexer.h"

#include <array>
#include <limits>
#include <string>

#include "shader/diagnostics.h"
#include "shader/reserved_words.h"

namespace driftwood::shader {

namespace {

constexpr std::uint32_t max_source_bytes = 16U << 20;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_identifier_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_identifier_part(char c) { return is_identifier_start(c) || is_digit(c); }

struct Spelling {
  TokenKind kind;
  std::string_view text;
};

constexpr Spelling spellings[] = {
#define DRIFTWOOD_SPELLING(enumerator, spelling) {TokenKind::enumerator, spelling},
    DRIFTWOOD_PUNCTUATION(DRIFTWOOD_SPELLING)
#undef DRIFTWOOD_SPELLING
};

/// The operators that begin with `first`.
const std::vector<Spelling>& spellings_by_first(char first) {
  static const auto table = [] {
    std::array<std::vector<Spelling>, 128> lists;
    for (const Spelling& spelling : spellings) lists[static_cast<std::size_t>(spelling.text[0])].push_back(spelling);
    return lists;
  }();
  static const std::vector<Spelling> none;
  const auto code = static_cast<unsigned char>(first);
  return code < table.size() ? table[code] : none;
}

/// The offset of the first byte that is not valid UTF-8, or npos.
std::size_t find_invalid_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80) {
      ++i;
      continue;
    }
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
    if (length == 0 || lead > 0xF4 || i + length > text.size()) return i;
    std::uint32_t code = lead & (0xFFU >> (length + 1));
    for (std::size_t k = 1; k < length; ++k) {
      const auto byte = static_cast<unsigned char>(text[i + k]);
      if ((byte & 0xC0U) != 0x80U) return i;
      code = code << 6U | (byte & 0x3FU);
    }
    const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    if (overlong || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return i;
    i += length;
  }
  return std::string_view::npos;
}

class Lexer {
 public:
  Lexer(const SourceFiles& files, std::uint16_t file) : files_(files), file_(file), text_(files[file]->text) {}

  std::vector<Token> run() {
    if (text_.size() > max_source_bytes) {
      fail(0, 0,
           "The source has " + std::to_string(text_.size()) + " bytes; at most " + std::to_string(max_source_bytes) +
               " are taken.");
    }
    if (const std::size_t invalid = find_invalid_utf8(text_); invalid != std::string_view::npos) {
      fail(invalid, invalid + 1, "The source is not valid UTF-8 here.");
    }
    while (skip_blank()) next();
    add(TokenKind::End, at_);
    discover_templates();
    merge_greater();
    return std::move(tokens_);
  }

 private:
  [[noreturn]] void fail(std::size_t begin, std::size_t end, const std::string& message) const {
    throw CompileError(files_, range(begin, end), message);
  }

  SourceRange range(std::size_t begin, std::size_t end) const {
    return {file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }

  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  /// Moves past blanks and comments; false at the end.
  bool skip_blank() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || (c >= '\t' && c <= '\r')) {
        ++at_;
      } else if (c == '/' && peek(1) == '/') {
        const auto end = text_.find('\n', at_);
        at_ = end == std::string_view::npos ? text_.size() : end;
      } else if (c == '/' && peek(1) == '*') {
        skip_block_comment();
      } else {
        return true;
      }
    }
    return false;
  }

  void skip_block_comment() {
    const std::size_t start = at_;
    std::size_t depth = 1;  // block comments nest in WGSL
    at_ += 2;
    while (depth > 0) {
      if (at_ >= text_.size()) fail(start, start + 2, "The comment that starts here has no end.");
      if (peek() == '/' && peek(1) == '*') {
        ++depth;
        at_ += 2;
      } else if (peek() == '*' && peek(1) == '/') {
        --depth;
        at_ += 2;
      } else {
        ++at_;
      }
    }
  }

  void add(TokenKind kind, std::size_t begin) {
    tokens_.push_back({kind, range(begin, at_), text_.substr(begin, at_ - begin)});
  }

  void next() {
    const char c = peek();
    if (is_identifier_start(c)) return word();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    const Spelling* best = nullptr;
    for (const Spelling& spelling : spellings_by_first(c)) {
      // '>' is merged into longer operators only after template lists are known.
      if (c == '>' && spelling.text.size() > 1) continue;
      if (text_.compare(at_, spelling.text.size(), spelling.text) != 0) continue;
      if (!best || spelling.text.size() > best->text.size()) best = &spelling;
    }
    if (!best) {
      const auto byte = static_cast<unsigned char>(c);
      std::size_t end = at_ + 1;
      while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xC0U) == 0x80U) ++end;
      if (byte >= 0x80) fail(at_, end, "Names and operators are ASCII; other characters may stand in comments only.");
      if (byte < 0x20 || byte == 0x7F) fail(at_, end, "A control character has no meaning here.");
      fail(at_, end, "The character '" + std::string(1, c) + "' has no meaning here.");
    }
    const std::size_t begin = at_;
    at_ += best->text.size();
    add(best->kind, begin);
  }

  void word() {
    const std::size_t begin = at_;
    while (is_identifier_part(peek())) ++at_;
    const std::string_view text = text_.substr(begin, at_ - begin);
    if (text == "_") return add(TokenKind::Underscore, begin);
    if (text.starts_with("__")) fail(begin, at_, "A name cannot begin with two underscores.");
    add(is_keyword(text) ? TokenKind::Keyword : TokenKind::Identifier, begin);
  }

  void number() {
    const std::size_t begin = at_;
    const bool hexadecimal = peek() == '0' && (peek(1) == 'x' || peek(1) == 'X');
    if (hexadecimal) at_ += 2;
    // Everything that could belong to a number; numbers.h says whether it is one.
    while (at_ < text_.size()) {
      const char c = peek();
      const char before = at_ > begin ? text_[at_ - 1] : '\0';
      const bool exponent = hexadecimal ? (before == 'p' || before == 'P') : (before == 'e' || before == 'E');
      if (is_identifier_part(c) || c == '.' || ((c == '+' || c == '-') && exponent)) {
        if (c == '.' && !hexadecimal && before == '.') break;
        ++at_;
      } else {
        break;
      }
    }
    add(TokenKind::Number, begin);
  }

  /// W3C WGSL, section 3.9: which '<' and '>' enclose template arguments.
  void discover_templates() {
    struct Candidate {
      std::size_t token;
      std::size_t depth;
    };
    std::vector<Candidate> pending;
    std::size_t depth = 0;
    const auto close_deeper = [&] {
      while (!pending.empty() && pending.back().depth >= depth) pending.pop_back();
    };
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      switch (tokens_[i].kind) {
        case TokenKind::Identifier:
        case TokenKind::Keyword:
          if (tokens_[i].kind == TokenKind::Keyword && tokens_[i].text != "var") break;
          if (tokens_[i + 1].kind == TokenKind::Less) {
            pending.push_back({i + 1, depth});
            ++i;
          }
          break;
        case TokenKind::Greater:
          if (!pending.empty() && pending.back().depth == depth) {
            tokens_[pending.back().token].kind = TokenKind::TemplateStart;
            tokens_[i].kind = TokenKind::TemplateEnd;
            pending.pop_back();
          }
          break;
        case TokenKind::LeftParen:
        case TokenKind::LeftBracket: ++depth; break;
        case TokenKind::RightParen:
        case TokenKind::RightBracket:
          close_deeper();
          if (depth > 0) --depth;
          break;
        case TokenKind::AndAnd:
        case TokenKind::OrOr: close_deeper(); break;
        case TokenKind::Semicolon:
        case TokenKind::LeftBrace:
        case TokenKind::Colon:
        case TokenKind::Equal:
          // An '=' after '>' may be the second half of '>=', which ends no list.
          depth = 0;
          pending.clear();
          break;
        default: break;
      }
    }
  }

  /// Joins adjacent '>' and '=' that enclose no template arguments.
  void merge_greater() {
    std::vector<Token> merged;
    merged.reserve(tokens_.size());
    for (const Token& token : tokens_) {
      Token* last = merged.empty() ? nullptr : &merged.back();
      const bool adjacent = last && last->range.end == token.range.begin;
      TokenKind joined = TokenKind::End;
      if (adjacent && last->kind == TokenKind::Greater) {
        if (token.kind == TokenKind::Greater) joined = TokenKind::ShiftRight;
        if (token.kind == TokenKind::Equal) joined = TokenKind::GreaterEqual;
      } else if (adjacent && last->kind == TokenKind::ShiftRight && token.kind == TokenKind::Equal) {
        joined = TokenKind::ShiftRightEqual;
      }
      if (joined == TokenKind::End) {
        merged.push_back(token);
      } else {
        last->kind = joined;
        last->range.end = token.range.end;
        last->text = text_.substr(last->range.begin, last->range.end - last->range.begin);
      }
    }
    tokens_ = std::move(merged);
  }

  const SourceFiles& files_;
  std::uint16_t file_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

std::string_view describe(TokenKind kind) {
  switch (kind) {
    case TokenKind::End: return "the end of the file";
    case TokenKind::Identifier: return "a name";
    case TokenKind::Keyword: return "a keyword";
    case TokenKind::Number: return "a number";
    case TokenKind::TemplateStart: return "'<'";
    case TokenKind::TemplateEnd: return "'>'";
#define DRIFTWOOD_CASE(enumerator, spelling) \
  case TokenKind::enumerator: return "'" spelling "'";
      DRIFTWOOD_PUNCTUATION(DRIFTWOOD_CASE)
#undef DRIFTWOOD_CASE
  }
  return "";
}

std::vector<Token> tokenize(const SourceFiles& files, std::uint16_t file) { return Lexer(files, file).run(); }

}  // namespace driftwood::shader

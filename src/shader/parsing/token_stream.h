// The parser's view of the tokens: lookahead, expectations, and the guard against deep nesting.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shader/lexer.h"
#include "shader/syntax.h"

namespace driftwood::shader::parsing {

class TokenStream {
 public:
  TokenStream(const SourceFiles& files, std::uint16_t file) : files_(files), tokens_(tokenize(files, file)) {}

  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[at_ + ahead < tokens_.size() ? at_ + ahead : tokens_.size() - 1];
  }
  bool at(TokenKind kind) const { return peek().kind == kind; }
  bool at_keyword(std::string_view word) const { return at(TokenKind::Keyword) && peek().text == word; }
  bool at_name(std::string_view word) const { return at(TokenKind::Identifier) && peek().text == word; }

  Token take() {
    const Token token = peek();
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }
  bool accept(TokenKind kind) {
    if (!at(kind)) return false;
    take();
    return true;
  }
  bool accept_keyword(std::string_view word) {
    if (!at_keyword(word)) return false;
    take();
    return true;
  }

  /// Takes a token of that kind or fails with "Expected ... after ...".
  Token expect(TokenKind kind, std::string_view where);
  Token expect_keyword(std::string_view word, std::string_view where);
  /// A name that may be declared or referred to: no keyword, no reserved word.
  Token expect_name(std::string_view what);

  /// Where the last token taken ends.
  std::uint32_t last_end() const { return at_ == 0 ? 0 : tokens_[at_ - 1].range.end; }
  SourceRange range_from(SourceRange begin) const { return {begin.file, begin.begin, last_end()}; }

  [[noreturn]] void fail(SourceRange range, const std::string& message) const;
  /// "Expected WHAT WHERE, but found 'x'."
  [[noreturn]] void fail_expected(std::string_view what, std::string_view where) const;

  /// Counts how deeply brackets and blocks nest while it lives.
  class Nesting {
   public:
    explicit Nesting(TokenStream& tokens);
    ~Nesting() { --tokens_.nesting_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    TokenStream& tokens_;
  };

 private:
  const SourceFiles& files_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int nesting_ = 0;
};

}  // namespace driftwood::shader::parsing

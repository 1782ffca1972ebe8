// The expressions of templates, by precedence as in Jinja: conditional, or, and, not, comparisons, + -, ~,
// * / // %, **, unary signs, then attributes, subscripts, calls, filters and tests.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "text/jinja/ast.h"
#include "text/jinja/lexer.h"

namespace driftwood::jinja {

/// A place in the tokens, and what parsing does with it.
class TokenCursor {
 public:
  explicit TokenCursor(std::span<const Token> tokens) : tokens_(tokens) {}

  const Token& peek(std::size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  const Token& take() {
    const Token& token = peek();
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }
  bool at(TokenKind kind) const { return peek().kind == kind; }
  bool at_operator(std::string_view text, std::size_t ahead = 0) const {
    return peek(ahead).kind == TokenKind::Operator && peek(ahead).text == text;
  }
  bool at_name(std::string_view text, std::size_t ahead = 0) const {
    return peek(ahead).kind == TokenKind::Name && peek(ahead).text == text;
  }
  bool take_operator(std::string_view text);
  bool take_name(std::string_view text);
  void expect_operator(std::string_view text);
  std::string expect_name();
  void expect(TokenKind kind, std::string_view what);
  [[noreturn]] void fail(std::string_view what) const;

 private:
  std::span<const Token> tokens_;
  std::size_t at_ = 0;
};

class ExpressionParser {
 public:
  explicit ExpressionParser(TokenCursor& cursor) : cursor_(cursor) {}

  ExpressionPtr parse();
  /// An expression, or several with commas between: a tuple.
  ExpressionPtr parse_tuple();
  /// Without a conditional: what a for iterates, before its "if".
  ExpressionPtr parse_or();

 private:
  class Nesting;

  ExpressionPtr parse_and();
  ExpressionPtr parse_not();
  ExpressionPtr parse_comparison();
  ExpressionPtr parse_sum();
  ExpressionPtr parse_concatenation();
  ExpressionPtr parse_product();
  ExpressionPtr parse_power();
  ExpressionPtr parse_unary(bool with_filters);
  ExpressionPtr parse_primary();
  ExpressionPtr parse_postfix(ExpressionPtr expression);
  ExpressionPtr parse_filters(ExpressionPtr expression);
  ExpressionPtr parse_subscript(ExpressionPtr object);
  ExpressionPtr parse_test(ExpressionPtr input);
  ExpressionPtr parse_list();
  ExpressionPtr parse_dict();
  CallArguments parse_arguments();

  template <class Node>
  ExpressionPtr make(Node node, Place place) const;

  TokenCursor& cursor_;
  int nesting_ = 0;
};

}  // namespace driftwood::jinja

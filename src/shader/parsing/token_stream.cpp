#include "shader/parsing/token_stream.h"

#include "shader/diagnostics.h"
#include "shader/reserved_words.h"

namespace driftwood::shader::parsing {

namespace {

// Enough for any kernel that a person or a graph compiler writes; bounds the parser's own stack.
constexpr int max_nesting = 200;

}  // namespace

void TokenStream::fail(SourceRange range, const std::string& message) const {
  throw CompileError(files_, range, message);
}

void TokenStream::fail_expected(std::string_view what, std::string_view where) const {
  const Token& token = peek();
  std::string found = "the end of the file";
  if (token.kind != TokenKind::End) {
    found = "'" + std::string(token.text.substr(0, 40)) + (token.text.size() > 40 ? "..." : "") + "'";
  }
  fail(token.range, "Expected " + std::string(what) + (where.empty() ? "" : " " + std::string(where)) + ", but found " +
                        found + ".");
}

Token TokenStream::expect(TokenKind kind, std::string_view where) {
  if (!at(kind)) fail_expected(describe(kind), where);
  return take();
}

Token TokenStream::expect_keyword(std::string_view word, std::string_view where) {
  if (!at_keyword(word)) fail_expected("'" + std::string(word) + "'", where);
  return take();
}

Token TokenStream::expect_name(std::string_view what) {
  if (at(TokenKind::Keyword)) {
    fail(peek().range, "'" + std::string(peek().text) + "' is a keyword and cannot be " + std::string(what) + ".");
  }
  if (!at(TokenKind::Identifier)) fail_expected(what, "");
  if (is_reserved_word(peek().text)) {
    fail(peek().range,
         "'" + std::string(peek().text) + "' is a reserved word of WGSL and cannot be " + std::string(what) + ".");
  }
  return take();
}

TokenStream::Nesting::Nesting(TokenStream& tokens) : tokens_(tokens) {
  if (++tokens_.nesting_ > max_nesting) {
    --tokens_.nesting_;
    tokens_.fail(tokens_.peek().range,
                 "Brackets and blocks nest more than " + std::to_string(max_nesting) + " deep here.");
  }
}

}  // namespace driftwood::shader::parsing

// Kernel source to tokens, by WGSL's rules (W3C WGSL, section 3), template lists discovered as in section 3.9.
//
// Differences to WGSL: identifiers are ASCII, since OpenCL C and Metal take no others.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "shader/source.h"

namespace driftwood::shader {

// X(enumerator, spelling)
// clang-format off
#define DRIFTWOOD_PUNCTUATION(X)                                                                                \
  X(LeftParen, "(") X(RightParen, ")") X(LeftBracket, "[") X(RightBracket, "]") X(LeftBrace, "{")               \
  X(RightBrace, "}") X(Comma, ",") X(Semicolon, ";") X(Colon, ":") X(ColonColon, "::") X(Dot, ".") X(At, "@")   \
  X(Arrow, "->") X(Plus, "+") X(Minus, "-") X(Star, "*") X(Slash, "/") X(Percent, "%") X(Ampersand, "&")        \
  X(Pipe, "|") X(Caret, "^") X(Tilde, "~") X(Bang, "!") X(AndAnd, "&&") X(OrOr, "||") X(ShiftLeft, "<<")        \
  X(ShiftRight, ">>") X(Less, "<") X(LessEqual, "<=") X(Greater, ">") X(GreaterEqual, ">=") X(EqualEqual, "==") \
  X(NotEqual, "!=") X(Equal, "=") X(PlusEqual, "+=") X(MinusEqual, "-=") X(StarEqual, "*=") X(SlashEqual, "/=") \
  X(PercentEqual, "%=") X(AmpersandEqual, "&=") X(PipeEqual, "|=") X(CaretEqual, "^=") X(ShiftLeftEqual, "<<=") \
  X(ShiftRightEqual, ">>=") X(PlusPlus, "++") X(MinusMinus, "--") X(Underscore, "_")
// clang-format on

enum class TokenKind : std::uint8_t {
  End,
  Identifier,
  Keyword,  // WGSL's keywords, and `import`
  Number,
  TemplateStart,  // '<' and '>' around template arguments
  TemplateEnd,
#define DRIFTWOOD_ENUMERATOR(enumerator, spelling) enumerator,
  DRIFTWOOD_PUNCTUATION(DRIFTWOOD_ENUMERATOR)
#undef DRIFTWOOD_ENUMERATOR
};

/// How messages call it: "'+='", "a number".
std::string_view describe(TokenKind kind);

struct Token {
  TokenKind kind = TokenKind::End;
  SourceRange range;
  std::string_view text;  // into the source file
};

/// The tokens of files[file], End last. Throws CompileError for what is no token: invalid UTF-8, control
/// characters, an unterminated comment, a malformed number, a reserved word.
std::vector<Token> tokenize(const SourceFiles& files, std::uint16_t file);

}  // namespace driftwood::shader

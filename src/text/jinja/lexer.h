// A chat template as tokens. White space around tags goes the way Hugging Face sets Jinja up: `trim_blocks` and
// `lstrip_blocks` on, one newline at the very end dropped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace driftwood::jinja {

enum class TokenKind { Text, BlockBegin, BlockEnd, PrintBegin, PrintEnd, Name, String, Integer, Float, Operator, End };

struct Token {
  TokenKind kind;
  std::string text;  // of a string: its contents
  int line;
};

/// Throws InvalidInput, giving the line, where the text is no template.
std::vector<Token> tokenize_template(std::string_view source);

}  // namespace driftwood::jinja

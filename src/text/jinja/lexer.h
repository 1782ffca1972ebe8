// A chat template as tokens. White space around tags goes the way Hugging Face sets Jinja up: `trim_blocks` and
// `lstrip_blocks` on, one newline at the very end dropped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace driftwood::jinja {

enum class TokenKind { Text, BlockBegin, BlockEnd, PrintBegin, PrintEnd, Name, String, Integer, Float, Operator, End };

/// Where in the template something begins; both count from 1, columns in bytes.
struct Place {
  int line = 0;
  int column = 0;
};

/// "Line 3, column 5 of the chat template".
std::string describe(Place place);

struct Token {
  TokenKind kind;
  std::string text;  // of a string: its contents
  Place place;
};

/// Throws InvalidInput, giving the place, where the text is no template.
std::vector<Token> tokenize_template(std::string_view source);

}  // namespace driftwood::jinja

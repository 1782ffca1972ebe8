// Expressions and types.
#pragma once

#include "shader/parsing/token_stream.h"

namespace driftwood::shader::parsing {

/// A whole expression, with WGSL's precedences (section 8.18): mixing such as `a & b + c` needs parentheses.
syntax::ExpressionPtr parse_expression(TokenStream& tokens);

/// A type or a name: `f32`, `array<u32, 8>`.
syntax::ExpressionPtr parse_type_name(TokenStream& tokens, std::string_view what);

/// The left side of an assignment, or a call statement's call: a unary or postfix expression.
syntax::ExpressionPtr parse_left_side(TokenStream& tokens);

/// Expressions up to the closing token, a comma after the last one allowed; takes the closing token.
std::vector<syntax::ExpressionPtr> parse_arguments(TokenStream& tokens, TokenKind close);

syntax::Attributes parse_attributes(TokenStream& tokens);

}  // namespace driftwood::shader::parsing

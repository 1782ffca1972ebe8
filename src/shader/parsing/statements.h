// Statements.
#pragma once

#include "shader/parsing/token_stream.h"

namespace driftwood::shader::parsing {

/// `{ statements }`.
syntax::Block parse_block(TokenStream& tokens, std::string_view where);

/// `var<...> name: type = value`, `let`, `const`, `override`; without attributes and semicolon.
syntax::Variable parse_variable(TokenStream& tokens);

/// `const_assert condition`, without the semicolon.
syntax::ConstAssert parse_const_assert(TokenStream& tokens);

}  // namespace driftwood::shader::parsing

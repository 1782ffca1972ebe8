// Tokens to the syntax tree: WGSL's grammar (W3C WGSL, section 3) with imports.
#pragma once

#include "shader/syntax.h"

namespace driftwood::shader {

/// Parses files[file]. Throws CompileError at the first thing that is wrong.
syntax::File parse(const SourceFiles& files, std::uint16_t file);

/// Parses files[file] as one type, e.g. "vec4<f32>": the value given to an alias.
syntax::ExpressionPtr parse_type(const SourceFiles& files, std::uint16_t file);

}  // namespace driftwood::shader

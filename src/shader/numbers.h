// Number literals (W3C WGSL, section 3.5.2) and their values.
#pragma once

#include <string>
#include <string_view>

#include "shader/ir.h"

namespace driftwood::shader {

/// The value of a literal such as "12", "0x1Fu", "1.5e-3f" or "0x1.8p3h"; suffixless ones are abstract.
/// Returns false and a sentence in `error` where the text is no number or its value does not fit.
bool parse_number(std::string_view text, ConstantScalar& value, std::string& error);

}  // namespace driftwood::shader

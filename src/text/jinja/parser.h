// From a chat template's tokens to its tree.
#pragma once

#include <string_view>

#include "text/jinja/ast.h"

namespace driftwood::jinja {

/// Throws InvalidInput, giving the line, where the text is no template or nests too deep, and Unsupported for
/// statements that chat templates have no use for (include, extends, block, ...).
Body parse_template(std::string_view source);

}  // namespace driftwood::jinja

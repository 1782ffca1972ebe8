// Runs a parsed template.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "text/jinja/ast.h"
#include "text/jinja/value.h"

namespace driftwood::jinja {

/// The text that a template gives with these names set. Beside them it may use range, dict, namespace,
/// raise_exception and strftime_now. Throws InvalidInput with the line where the template fails or asks for
/// more than Budget allows, and Unsupported for filters and tests that do not exist here.
std::string render(const Body& body, const Dict& variables);

}  // namespace driftwood::jinja

// The functions that every template may call.
#pragma once

#include <string_view>

#include "text/jinja/runtime.h"

namespace driftwood::jinja {

/// The function of that name, or undefined.
Value find_global(std::string_view name, Budget& budget);

}  // namespace driftwood::jinja

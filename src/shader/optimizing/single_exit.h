// Functions with one return, at their end, so that the body can stand where the call stood.
#pragma once

#include "shader/ir.h"
#include "shader/ir_build.h"

namespace driftwood::shader::optimizing {

/// Rewrites early returns in branches: `if (c) { return a; } return b;` becomes an if/else that sets a result variable.
/// False (and nothing changed) where a return stands inside a loop or switch.
bool make_single_exit(Function& function, FreshNames& names);

}  // namespace driftwood::shader::optimizing

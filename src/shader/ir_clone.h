// A module again, for what changes or keeps it while the original goes its own way.
#pragma once

#include "shader/ir.h"

namespace driftwood::shader {

/// A copy that shares nothing with the original but types; names of local variables may differ.
Module clone(const Module& module);

}  // namespace driftwood::shader

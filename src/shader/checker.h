// From the untyped trees of a kernel to a typed module: names resolved, types checked by WGSL's rules,
// const-expressions folded, the specialisation's values bound. Only what the entry point reaches is in the module.
#pragma once

#include <string_view>

#include "shader/compile.h"
#include "shader/linker.h"

namespace driftwood::shader {

/// Loads, links and checks the file of `module_path`; the module still has Tensor and Weights resources.
/// Throws CompileError.
Module check(const SourceProvider& sources, std::string_view module_path, const Specialization& specialization,
             std::string_view entry_point = {});

/// Checks a linked program; `specialization` is the one it was linked with.
Module check(Program& program, const Specialization& specialization, std::string_view entry_point = {});

}  // namespace driftwood::shader

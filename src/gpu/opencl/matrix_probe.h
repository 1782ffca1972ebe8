// Whether NVIDIA's matrix units compute what the emitter's instructions (shader/opencl/matrices.cpp) ask of them.
#pragma once

#include <string>

#include "gpu/opencl/context.h"

namespace driftwood::gpu::opencl {

/// Builds and runs a product of two 16 x 16 matrices by PTX; false where it does not build, run or come out right.
bool multiplies_matrices(const Context& context, const std::string& options);

}  // namespace driftwood::gpu::opencl

// Whether a CPU multiplies sixteen words of four bytes in one instruction (AVX-512 VNNI), and its driver makes code
// with it.
#pragma once

#include <string>

#include "gpu/opencl/context.h"

namespace driftwood::gpu::opencl {

/// Asks the processor of this host, which an OpenCL device of type CPU is, then compiles and runs a product and looks
/// at what came out.
bool multiplies_wide_words(const Context& context, const std::string& options);

}  // namespace driftwood::gpu::opencl

// A device of Metal without Metal: kernels are emitted as MSL and run on the CPU. It has the limits of an Apple GPU of
// family 7, and its threadgroups, simdgroups, matrices and textures.
#pragma once

#include <memory>

#include "gpu/device.h"

namespace driftwood::test {

struct MetalCpuOptions {
  bool has_simdgroups = true;
  bool has_matrices = true;  // of simdgroups
};

/// Its id is "metal-cpu". Submitted work has run when submit() returns, which throws InternalError where a kernel is at
/// fault: divergence, a bad index or texel, a write before or behind a buffer. Throws Unsupported where there is no
/// clang (Clang::find).
std::unique_ptr<gpu::Device> make_metal_cpu_device(const MetalCpuOptions& options = {});

}  // namespace driftwood::test

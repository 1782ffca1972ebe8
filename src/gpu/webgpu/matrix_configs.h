// The matrices of a subgroup that Dawn says an adapter multiplies.
#pragma once

#include "gpu/webgpu/api.h"

namespace driftwood::gpu::webgpu {

/// Whether one of the configurations is 16 x 16 x 16 of f16, summed in f32.
bool multiplies_our_matrices(const DawnMatrixConfigs& configs);

}  // namespace driftwood::gpu::webgpu

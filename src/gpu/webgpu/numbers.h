// Numbers that webgpu.h gave new values in 2025. A library built from an older header has the older ones, and its files
// do not say so: context.h finds out by experiment.
#pragma once

#include "gpu/webgpu/api.h"
#include "tensor/data_type.h"

namespace driftwood::gpu::webgpu {

struct Numbers {
  WGPUFeatureName timestamp_query, shader_f16, subgroups;
  WGPUFeatureName dawn_memory_heaps, dawn_matrices;
  WGPUTextureFormat rgba8_uint, rgba8_sint, rgba16_uint, rgba16_sint, rgba16_float, rgba32_float, rgba32_uint,
      rgba32_sint;
};

/// As in the webgpu.h that this is built with; Dawn's extensions as in its releases from August 2025 on.
extern const Numbers standard_numbers;
/// As in Dawn's releases before.
extern const Numbers early_numbers;

/// The format of four-channel texels. Throws Unsupported for types that images do not hold.
WGPUTextureFormat texture_format(const Numbers& numbers, DataType texel);

}  // namespace driftwood::gpu::webgpu

// Whether there is a Vulkan for the WebGPU libraries, asked before they are: Dawn writes warnings on standard error
// where there is none.
#pragma once

#include <string>

namespace driftwood::gpu::webgpu {

/// Why the Vulkan that the process finds by its name cannot be used, in a clause; an empty text where it can.
std::string vulkan_fault();

}  // namespace driftwood::gpu::webgpu

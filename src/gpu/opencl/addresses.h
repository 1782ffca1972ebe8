// Where buffers lie in the device's memory, for programs that find them in a table.
#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "gpu/opencl/kernel.h"
#include "gpu/opencl/memory.h"

namespace driftwood::gpu::opencl {

/// Addresses of the buffers as kernels see them, each asked for once. A buffer keeps its own as long as it lives.
/// Throws DeviceLost or InternalError where the driver cannot run the kernel that tells.
std::map<const OpenClMemory*, std::uint64_t> addresses_of(const Context& context,
                                                          std::span<OpenClMemory* const> memories,
                                                          const BuildProgram& build);

}  // namespace driftwood::gpu::opencl

// Probe kernels (gpu/probe_kernels.h) run through a device, as any kernel is.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/device.h"
#include "gpu/probe_kernels.h"

namespace driftwood::gpu {

/// What the kernel wrote, run by one workgroup. Throws what the device throws.
std::vector<std::uint32_t> run_probe(Device& device, const ProbeKernel& probe);

}  // namespace driftwood::gpu

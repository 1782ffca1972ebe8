// What a device's memory may be used for beside the least that a graph needs, for speed.
#pragma once

#include <cstdint>

#include "gpu/device.h"

namespace driftwood::graph {

/// Bytes that one tensor more, or one that lives longer, may take where that is faster: a 128th of the memory, 64 MiB
/// of 8 GiB, 1.1 GiB of 141 GB. 0: the device does not say how much it has.
constexpr std::uint64_t spare_memory(const gpu::DeviceFacts& facts) { return facts.global_memory / 128; }

}  // namespace driftwood::graph

// Copies between host memory and a Metal device, in order with its work. Objective-C++.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "gpu/metal/memory.h"

namespace driftwood::gpu::metal {

/// The range lies within the buffer, or is the whole of a texture. The bytes may be reused when it returns.
void write(Context& context, MetalMemory& memory, std::uint64_t offset, std::span<const std::byte> bytes);
/// Waits for all work before it.
void read(Context& context, const MetalMemory& memory, std::uint64_t offset, std::span<std::byte> bytes);
/// Whole words of a buffer as they are when the work committed before has run.
std::unique_ptr<PendingRead> read_later(std::shared_ptr<Context> context, const MetalMemory& memory,
                                        std::uint64_t offset, std::size_t size);
void fill_zero(Context& context, MetalMemory& memory, std::uint64_t offset, std::uint64_t size);

}  // namespace driftwood::gpu::metal

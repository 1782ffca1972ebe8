// What a device refuses by its facts alone, before a driver is asked.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "gpu/device.h"

namespace driftwood::gpu {

/// Throws OutOfMemory for an image of a kind or extent that the device does not have.
void check_image(const MemoryDescriptor& descriptor, const DeviceFacts& facts);

/// The same before a driver makes the image: Unsupported for a kind that the device does not have, InvalidInput for an
/// extent of 0, OutOfMemory for one over the limit.
void check_image_extent(const DeviceFacts& facts, const MemoryDescriptor& descriptor);

/// Bytes of an image's texels, tightly packed. Throws OutOfMemory where the product overflows.
std::uint64_t image_bytes(const MemoryDescriptor& descriptor);

/// Throws OutOfMemory where `bytes` exceed one allocation, or what is left of the device's memory.
void check_allocation(std::uint64_t bytes, std::uint64_t allocated, const DeviceFacts& facts);

/// Throws InvalidInput for workgroups or buffers (uniforms, which have a limit of their own everywhere, aside) over the
/// device's limits, Unsupported for what it cannot compute.
void check_module(const shader::Module& module, const std::string& name, const DeviceFacts& facts);

/// Bytes of workgroup memory that a module declares, each variable rounded up to 16 as WebGPU counts them.
std::uint64_t workgroup_bytes(const shader::Module& module);

/// Throws OutOfMemory where they exceed the device's.
void check_workgroup_memory(const shader::Module& module, const std::string& name, const DeviceFacts& facts);

/// Throws InvalidInput for a grid over the device's limits.
void check_grid(const std::array<std::uint32_t, 3>& workgroups, const DeviceFacts& facts);

}  // namespace driftwood::gpu

// The kernels that measure a device's ceilings, in the kernel language. Each reads from its first binding and writes to
// its second; `turns` is read by the arithmetic ones, so that their length needs no other kernel.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include "gpu/device.h"

namespace driftwood::measure {

enum class CeilingKernel : std::uint8_t { Fill, Read, Copy, Floats, Halves, Integers, Matrices, Pipeline, Empty };

/// What it measures, in words.
std::string_view to_string(CeilingKernel kernel);

/// What a kernel does in one workgroup.
struct CeilingWork {
  std::shared_ptr<gpu::Kernel> kernel;
  std::uint64_t bytes_read = 0, bytes_written = 0;  // of Fill, Read, Copy
  double flops_per_turn = 0;                        // of the arithmetic ones
  std::uint64_t result_bytes = 0;                   // that the arithmetic ones write
};

/// Whether the device has what the kernel measures.
bool has(CeilingKernel kernel, const gpu::DeviceFacts& facts);

/// Compiled for the device.
CeilingWork make(CeilingKernel kernel, gpu::Device& device);

}  // namespace driftwood::measure

// The interpreter as a device: the reference that every back end is held to, and a sanitizer for kernels. It runs on
// one core of the host and shows every fault as a SanitizerError with the source line.
//
//   auto device = gpu::make_reference_device();
//   auto poor = gpu::make_reference_device({.has_images = false, .has_f16_arithmetic = false, .subgroup_size = 0});
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "gpu/device.h"
#include "shader/interpreter/options.h"

namespace driftwood::gpu {

/// What the device claims to be. The defaults are generous; tests set less to mimic poorer devices, and the device then
/// refuses what such a device would.
struct ReferenceOptions {
  /// By default the kernels for GPUs are chosen (a row a lane); true: those for CPUs (sixteen rows an invocation).
  bool is_cpu = false;
  std::uint32_t max_workgroup_size = 1024;
  std::uint32_t max_kernel_workgroup_size = 1024;  // what a compiled kernel takes, as drivers lower it for registers
  std::array<std::uint32_t, 3> max_workgroup_extent = {1024, 1024, 1024};
  std::array<std::uint32_t, 3> max_workgroup_count = {65535, 65535, 65535};
  std::uint64_t local_memory = 256 << 10;
  std::uint64_t global_memory = std::uint64_t{64} << 30;
  std::uint64_t max_allocation = 0xFFFFFFFC;
  std::uint64_t buffer_alignment = 4;
  bool has_images = true;
  bool has_3d_image_writes = true;
  std::uint64_t max_image_buffer = std::uint64_t{1} << 28;
  std::array<std::uint32_t, 2> max_image_2d = {1 << 20, 1 << 20};
  std::array<std::uint32_t, 3> max_image_3d = {1 << 16, 1 << 16, 1 << 16};
  std::uint32_t max_image_layers = 1 << 16;
  bool has_f16_arithmetic = true;
  bool has_packed_dot = true;
  bool has_wide_dot = true;
  bool has_matrices = true;           // with subgroups of 32 alone
  std::uint64_t pipeline_memory = 0;  // kernels with a pipeline are lowered, but chosen where this is not 0
  std::uint32_t subgroup_size = 32;   // 0: none
  /// Checks and the loop limit; its subgroup_size is set from the one above.
  shader::InterpreterOptions interpreter = {};
};

/// Errors beyond those of Device: submit throws SanitizerError where a kernel is at fault; dispatches after it in the
/// recording are not run.
std::unique_ptr<Device> make_reference_device(const ReferenceOptions& options = {});

}  // namespace driftwood::gpu

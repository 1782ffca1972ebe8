// Limits that are imposed on a device, so that a large one refuses what a small one would.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gpu/device.h"

namespace driftwood::gpu {

/// Facts of a smaller device, under the names and in the units of DeviceFacts; what is not set stays the device's own.
struct DeviceLimits {
  std::optional<bool> is_cpu = {};  // false: a CPU takes the kernels of GPUs
  std::optional<std::uint32_t> max_workgroup_size = {};
  std::optional<std::array<std::uint32_t, 3>> max_workgroup_extent = {};
  std::optional<std::array<std::uint32_t, 3>> max_workgroup_count = {};
  std::optional<std::uint64_t> local_memory = {};
  std::optional<std::uint64_t> global_memory = {};
  std::optional<std::uint64_t> max_allocation = {};
  std::optional<std::uint64_t> max_binding = {};
  std::optional<std::uint32_t> max_bindings = {};
  std::optional<std::uint64_t> buffer_alignment = {};  // the device's own where that is larger
  std::optional<bool> has_images = {};
  std::optional<bool> has_3d_image_writes = {};
  std::optional<std::uint64_t> max_image_buffer = {};
  std::optional<std::array<std::uint32_t, 2>> max_image_2d = {};
  std::optional<std::array<std::uint32_t, 3>> max_image_3d = {};
  std::optional<std::uint32_t> max_image_layers = {};
  std::optional<bool> has_f16_arithmetic = {};
  std::optional<bool> has_subgroups = {};
  std::optional<std::uint32_t> subgroup_size = {};  // the device's own; 1: none
  std::optional<bool> has_packed_dot = {};
  std::optional<bool> has_wide_dot = {};
  std::optional<bool> has_matrices = {};
  std::optional<std::uint64_t> pipeline_memory = {};

  bool operator==(const DeviceLimits&) const = default;
};

/// How a limit makes a device smaller.
enum class LimitKind : std::uint8_t {
  AtMost,   // a number up to the device's own
  OrNone,   // the same, where the device's own 0 stands for no limit
  AtLeast,  // a power of two; the device's own stands where it is larger, so that no offset is one it cannot take
  Same,     // cannot be changed but to 1, none
  Absent,   // false takes away what the device has
};

/// Calls f(name, member of DeviceLimits, member of DeviceFacts, kind, least value) for each.
template <class F>
void for_each_limit(F&& f) {
  using L = DeviceLimits;
  using D = DeviceFacts;
  f("is_cpu", &L::is_cpu, &D::is_cpu, LimitKind::Absent, 0);
  f("max_workgroup_size", &L::max_workgroup_size, &D::max_workgroup_size, LimitKind::AtMost, 1);
  f("max_workgroup_extent", &L::max_workgroup_extent, &D::max_workgroup_extent, LimitKind::AtMost, 1);
  f("max_workgroup_count", &L::max_workgroup_count, &D::max_workgroup_count, LimitKind::AtMost, 1);
  f("local_memory", &L::local_memory, &D::local_memory, LimitKind::AtMost, 0);
  f("global_memory", &L::global_memory, &D::global_memory, LimitKind::OrNone, 1);
  f("max_allocation", &L::max_allocation, &D::max_allocation, LimitKind::OrNone, 1);
  f("max_binding", &L::max_binding, &D::max_binding, LimitKind::OrNone, 16);
  f("max_bindings", &L::max_bindings, &D::max_bindings, LimitKind::OrNone, 1);
  f("buffer_alignment", &L::buffer_alignment, &D::buffer_alignment, LimitKind::AtLeast, 1);
  f("has_images", &L::has_images, &D::has_images, LimitKind::Absent, 0);
  f("has_3d_image_writes", &L::has_3d_image_writes, &D::has_3d_image_writes, LimitKind::Absent, 0);
  f("max_image_buffer", &L::max_image_buffer, &D::max_image_buffer, LimitKind::AtMost, 0);
  f("max_image_2d", &L::max_image_2d, &D::max_image_2d, LimitKind::AtMost, 0);
  f("max_image_3d", &L::max_image_3d, &D::max_image_3d, LimitKind::AtMost, 0);
  f("max_image_layers", &L::max_image_layers, &D::max_image_layers, LimitKind::AtMost, 0);
  f("has_f16_arithmetic", &L::has_f16_arithmetic, &D::has_f16_arithmetic, LimitKind::Absent, 0);
  f("has_subgroups", &L::has_subgroups, &D::has_subgroups, LimitKind::Absent, 0);
  f("subgroup_size", &L::subgroup_size, &D::subgroup_size, LimitKind::Same, 1);
  f("has_packed_dot", &L::has_packed_dot, &D::has_packed_dot, LimitKind::Absent, 0);
  f("has_wide_dot", &L::has_wide_dot, &D::has_wide_dot, LimitKind::Absent, 0);
  f("has_matrices", &L::has_matrices, &D::has_matrices, LimitKind::Absent, 0);
  f("pipeline_memory", &L::pipeline_memory, &D::pipeline_memory, LimitKind::AtMost, 0);
}

/// The facts of the smaller device. Throws InvalidInput, naming limit, value and the device's own, for one that would
/// make it larger.
DeviceFacts limited_facts(const DeviceFacts& facts, const DeviceLimits& limits);

}  // namespace driftwood::gpu

// Workgroup sizes within the limits of a device, and what rows of several operations agree on.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "graph/selection.h"

namespace driftwood::graph {

/// Rows of packed weights that are interleaved on this device: the sixteen of one vec16 on CPUs, whose invocations run
/// on wide registers, and the 32 lanes of a subgroup (or half of one) elsewhere, so that neighbouring lanes read one
/// 128-byte line. All kernels that share a matrix agree on it.
inline std::uint32_t weights_row_group(const gpu::DeviceFacts& facts) { return facts.is_cpu ? 16 : 32; }
/// Rows whose words are interleaved.
inline std::uint32_t interleaved_rows(const SelectionContext& context) {
  return context.options.weight_rows == WeightRows::Separate ? 1 : weights_row_group(context.facts);
}

/// The number of invocations for a loop of `work` independent steps: a power of two, at most `most` and what the device
/// allows. On CPUs one: a driver runs the invocations of a group one after the other, and barriers split its loops.
inline std::uint32_t lanes_for(const gpu::DeviceFacts& facts, std::uint64_t work, std::uint32_t most = 256) {
  if (facts.is_cpu) return 1;
  const std::uint32_t limit = std::bit_floor(std::min({most, facts.max_workgroup_size, facts.max_workgroup_extent[0]}));
  return std::clamp<std::uint32_t>(static_cast<std::uint32_t>(std::bit_ceil(std::min<std::uint64_t>(work, limit))), 1,
                                   limit);
}

/// The invocations of a subgroup, where kernels that are one subgroup a group run on this device: those of GPUs, of a
/// power of two invocations that fit into a workgroup. Else 0.
inline std::uint32_t subgroup_lanes(const gpu::DeviceFacts& facts) {
  const std::uint32_t size = facts.has_subgroups ? facts.subgroup_size : 1;
  const bool fits = size <= std::min(facts.max_workgroup_size, facts.max_workgroup_extent[0]);
  return !facts.is_cpu && size > 1 && std::has_single_bit(size) && fits ? size : 0;
}

/// Two axes of a workgroup of up to 64 invocations, also on CPUs: as many along the slices as there are, what is left
/// along the other.
struct Plane {
  std::uint32_t lanes_s, lanes_x;
};
inline Plane plane_for(const gpu::DeviceFacts& facts, std::uint32_t slices) {
  const std::uint32_t all = std::bit_floor(std::min<std::uint32_t>(64, facts.max_workgroup_size));
  const std::uint32_t lanes_s = std::min({all, std::bit_ceil(slices), std::bit_floor(facts.max_workgroup_extent[0])});
  return {.lanes_s = lanes_s, .lanes_x = std::min(all / lanes_s, std::bit_floor(facts.max_workgroup_extent[1]))};
}

}  // namespace driftwood::graph

// How the kernels of attention are cut, with a cache and without one.
#pragma once

#include <cstdint>

#include "gpu/device.h"
#include "graph/selection.h"

namespace driftwood::graph {

/// The constants of attention_tile.wgsl.
struct AttentionTile {
  std::uint32_t columns = 0, groups = 0, part = 0, values = 0;

  /// Bytes of workgroup memory, for heads of so many slices.
  std::uint64_t bytes(std::uint32_t slices) const;
};

/// The largest tile that fits: 64 queries at best, with whole heads in workgroup memory.
AttentionTile attention_tile(const gpu::DeviceFacts& facts, std::uint32_t slices);

/// The same with as many groups of queries and values as were measured to be the best.
AttentionTile tuned_attention_tile(const SelectionContext& context, std::uint32_t slices);

/// Keys of a step of attention_matrix.wgsl: the most that fit, or 0 where none do.
std::uint32_t attention_matrix_keys(const gpu::DeviceFacts& facts, std::uint32_t slices);
/// The same, or fewer where they were measured to be better.
std::uint32_t tuned_attention_matrix_keys(const SelectionContext& context, std::uint32_t slices);

}  // namespace driftwood::graph

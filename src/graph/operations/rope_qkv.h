// RoPE of queries and keys, the queries' head layout, and both cache writes at once (section 3.6 of "Scaling On-Device
// GPU Inference"). The fused form of HeadNorm (where queries and keys have one), Rope, HeadLayout and CacheWrite.
//
//   separate: (q, k, v, frequencies, K cache, V cache) -> (q by head, K cache, V cache)
//   merged:   (qkv {W = tokens, C = (heads + 2 kv_heads) * head_size}, frequencies, K cache, V cache) -> the same
//   normed:   two more inputs at the end, the factors {C = head_size} of queries and of keys
#pragma once

#include <vector>

#include "graph/operations/rope.h"

namespace driftwood::graph {

struct RopeQkv {
  static constexpr std::string_view name = "rope-qkv";
  Rope rope;
  std::uint32_t heads = 1;
  std::uint32_t kv_heads = 1;
  bool merged = false;
  bool ring = false;      // of the caches
  bool normed = false;    // every head of queries and keys is normed before it is turned
  float epsilon = 1e-5F;  // of the norms

  std::uint32_t q_channels() const { return heads * rope.head_size; }
  std::uint32_t kv_channels() const { return kv_heads * rope.head_size; }
  /// Place of the first input after the projections: frequencies, caches, factors.
  std::size_t projections() const { return merged ? 1 : 3; }
  bool operator==(const RopeQkv&) const = default;
};

std::vector<Shape> output_shapes(const RopeQkv&, std::span<const Operand> inputs);

}  // namespace driftwood::graph

// RoPE of queries and keys, the queries' head layout, and both cache writes at once (section 3.6 of "Scaling On-Device
// GPU Inference"). The fused form of Rope, HeadLayout and CacheWrite.
//
//   separate: (q, k, v, frequencies, K cache, V cache) -> (q by head, K cache, V cache)
//   merged:   (qkv {W = tokens, C = (heads + 2 kv_heads) * head_size}, frequencies, K cache, V cache) -> the same
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
  bool ring = false;  // of the caches

  std::uint32_t q_channels() const { return heads * rope.head_size; }
  std::uint32_t kv_channels() const { return kv_heads * rope.head_size; }
  bool operator==(const RopeQkv&) const = default;
};

std::vector<Shape> output_shapes(const RopeQkv&, std::span<const Operand> inputs);

}  // namespace driftwood::graph

// Appends keys or values to a cache: (x {W = tokens, C = kv_heads * head_size}, cache {H = kv_heads, W = cache size, C
// = head_size}) -> the cache after the write, the same memory. Token t goes to place parameters.position + t, modulo
// the cache size where the cache is a ring.
#pragma once

#include <vector>

#include "graph/operations/operand.h"

namespace driftwood::graph {

struct CacheWrite {
  static constexpr std::string_view name = "cache-write";
  bool ring = false;
  bool operator==(const CacheWrite&) const = default;
};

std::vector<Shape> output_shapes(const CacheWrite&, std::span<const Operand> inputs);

}  // namespace driftwood::graph

// softmax(scale * q K^T + mask) V: (q {H = kv_heads, W = tokens * group, C = head_size} as HeadLayout gives it, K
// cache, V cache {H = kv_heads, W = cache size, C = head_size}) -> {W = tokens, C = heads * head_size}.
//
// Token t stands at position p = parameters.position + t and sees positions j <= p (causal), or all of the active ones,
// with p - j < window where there is a window. The scores become softcap * tanh(score / softcap) where there is a
// softcap.
//
// A ring holds the last positions alone. All tokens of a run are written before the first is attended to, whose window
// must still be there: a ring has at least window + tokens - 1 places.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/operations/operand.h"

namespace driftwood::graph {

struct Attention {
  static constexpr std::string_view name = "attention";
  std::uint32_t heads = 1;
  float scale = 1;
  bool causal = true;
  std::uint32_t window = 0;  // 0: none
  float softcap = 0;         // 0: none
  bool ring = false;         // the caches are rings: position j is at place j modulo the cache size
  bool operator==(const Attention&) const = default;
};

std::vector<Shape> output_shapes(const Attention&, std::span<const Operand> inputs);

}  // namespace driftwood::graph

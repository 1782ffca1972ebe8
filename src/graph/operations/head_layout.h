// Queries by KV head: {W = tokens, C = heads * head_size} -> {H = kv_heads, W = tokens * group, C = head_size}, where
// group = heads / kv_heads. Query head h of token t is row t * group + h % group of KV head h / group, so that the rows
// of the active tokens come first and MHA, MQA and GQA are one case.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/operations/operand.h"

namespace driftwood::graph {

struct HeadLayout {
  static constexpr std::string_view name = "head-layout";
  std::uint32_t kv_heads = 1;
  std::uint32_t head_size = 0;
  bool operator==(const HeadLayout&) const = default;
};

std::vector<Shape> output_shapes(const HeadLayout&, std::span<const Operand> inputs);

}  // namespace driftwood::graph

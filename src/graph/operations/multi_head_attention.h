// softmax(scale * q K^T + mask) V of every head, without a cache: (q {B, H, W, C = heads * head size}, k {B, H', W',
// C}, v {B, H', W', C}) -> the shape of q. Positions are H and W together, row by row; a position of q sees all of k in
// the same image, or, where it is causal, those at its own place and before. Self attention of an image, cross
// attention to a text, and a text encoder's attention are one case.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/operations/operand.h"

namespace driftwood::graph {

struct MultiHeadAttention {
  static constexpr std::string_view name = "multi-head-attention";
  std::uint32_t heads = 1;
  float scale = 1;
  bool causal = false;
  bool operator==(const MultiHeadAttention&) const = default;
};

std::vector<Shape> output_shapes(const MultiHeadAttention&, std::span<const Operand> inputs);

}  // namespace driftwood::graph

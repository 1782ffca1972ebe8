// RMS norm of every head on its own: each group of head_size channels of a token is divided by the root of the mean of
// its squares + epsilon and multiplied by gamma: (x {C = heads * head_size}, gamma {C = head_size}) -> shape of x. The
// norm of queries and keys that some families have before RoPE.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/operations/operand.h"

namespace driftwood::graph {

struct HeadNorm {
  static constexpr std::string_view name = "head-norm";
  std::uint32_t head_size = 0;
  float epsilon = 1e-5F;
  bool operator==(const HeadNorm&) const = default;
};

std::vector<Shape> output_shapes(const HeadNorm&, std::span<const Operand> inputs);

}  // namespace driftwood::graph

// (x - mean) / sqrt(variance + epsilon) * gamma + beta over the channels: (x, gamma {C}, beta {C}) -> shape of x.
#pragma once

#include <vector>

#include "graph/operations/operand.h"

namespace driftwood::graph {

struct LayerNorm {
  static constexpr std::string_view name = "layer-norm";
  float epsilon = 1e-5F;
  bool operator==(const LayerNorm&) const = default;
};

std::vector<Shape> output_shapes(const LayerNorm&, std::span<const Operand> inputs);

}  // namespace driftwood::graph

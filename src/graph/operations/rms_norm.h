// x / sqrt(mean of squares over the channels + epsilon) * gamma: (x, gamma {C}) -> shape of x.
#pragma once

#include <vector>

#include "graph/operations/operand.h"

namespace driftwood::graph {

struct RmsNorm {
  static constexpr std::string_view name = "rms-norm";
  float epsilon = 1e-5F;
  bool operator==(const RmsNorm&) const = default;
};

std::vector<Shape> output_shapes(const RmsNorm&, std::span<const Operand> inputs);

}  // namespace driftwood::graph

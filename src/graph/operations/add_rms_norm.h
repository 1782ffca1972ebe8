// sum = x + residual, y = RMS norm of sum: (x, residual, gamma {C}) -> (sum, y), all of the shape of x. The fused form
// of an addition and an RMS norm ("Scaling On-Device GPU Inference", section 3.6).
#pragma once

#include <vector>

#include "graph/operations/operand.h"

namespace driftwood::graph {

struct AddRmsNorm {
  static constexpr std::string_view name = "add-rms-norm";
  float epsilon = 1e-5F;
  bool operator==(const AddRmsNorm&) const = default;
};

std::vector<Shape> output_shapes(const AddRmsNorm&, std::span<const Operand> inputs);

}  // namespace driftwood::graph

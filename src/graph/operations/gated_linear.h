// activation(gate x + gate bias) * (up x + up bias): (x {.., C = columns}, gate [rows x columns], up [rows x columns][,
// gate bias {C = rows}, up bias {C = rows}]) -> {.., C = rows}.
// Where it normalizes, x is what goes into an RMS norm, whose factors gamma {C = columns} are the last input.
// The fused form of two linears, an activation and a product.
#pragma once

#include <vector>

#include "graph/operations/element_wise.h"

namespace driftwood::graph {

struct GatedLinear {
  static constexpr std::string_view name = "gated-linear";
  ElementOp activation = ElementOp::Silu;  // of one operand and no constants
  bool normalizes = false;
  float epsilon = 0;  // of the norm

  bool has_biases(std::size_t inputs) const { return inputs > (normalizes ? 4U : 3U); }
  bool operator==(const GatedLinear&) const = default;
};

std::vector<Shape> output_shapes(const GatedLinear&, std::span<const Operand> inputs);

}  // namespace driftwood::graph

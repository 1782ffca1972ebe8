// activation(gate x + gate bias) * (up x + up bias): (x {.., C = columns}, gate [rows x columns], up [rows x columns][,
// gate bias {C = rows}, up bias {C = rows}]) -> {.., C = rows}.
// The fused form of two linears, an activation and a product.
#pragma once

#include <vector>

#include "graph/operations/element_wise.h"

namespace driftwood::graph {

struct GatedLinear {
  static constexpr std::string_view name = "gated-linear";
  ElementOp activation = ElementOp::Silu;  // of one operand and no constants
  bool operator==(const GatedLinear&) const = default;
};

std::vector<Shape> output_shapes(const GatedLinear&, std::span<const Operand> inputs);

}  // namespace driftwood::graph

// A gated linear whose input enters as integers: as IntegerLinear with two matrices, gate and up, and two biases or
// none.
#pragma once

#include <vector>

#include "graph/operations/element_wise.h"
#include "graph/operations/quantize_tokens.h"

namespace driftwood::graph {

struct IntegerGatedLinear {
  static constexpr std::string_view name = "integer-gated-linear";
  ElementOp activation = ElementOp::Silu;  // of one operand and no constants
  IntegerInput input = IntegerInput::Packed;
  bool operator==(const IntegerGatedLinear&) const = default;

  /// Place of the gate among the inputs; up and the biases follow.
  std::size_t weights() const { return values_of(input); }
};

std::vector<Shape> output_shapes(const IntegerGatedLinear& operation, std::span<const Operand> inputs);

}  // namespace driftwood::graph

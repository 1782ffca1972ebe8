#include "graph/operations/layer_norm.h"

#include <fmt/format.h>

namespace driftwood::graph {

std::vector<Shape> output_shapes(const LayerNorm&, std::span<const Operand> inputs) {
  check_input_count(LayerNorm::name, inputs, 3, 3);
  const Shape& shape = inputs[0].shape;
  for (const Operand& factors : inputs.subspan(1)) {
    if (factors.shape == Shape{.c = shape.c}) continue;
    operation_error(LayerNorm::name, fmt::format("the factors {} do not hold one value for each of the {} channels "
                                                 "of {}.",
                                                 describe(factors), shape.c, describe(inputs[0])));
  }
  return {shape};
}

}  // namespace driftwood::graph

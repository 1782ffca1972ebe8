#include "graph/operations/linear.h"

#include <fmt/format.h>

namespace driftwood::graph {

std::vector<Shape> output_shapes(const Linear& operation, std::span<const Operand> inputs) {
  check_input_count(Linear::name, inputs, operation.normalizes ? 3 : 2, operation.normalizes ? 4 : 3);
  const Operand& x = inputs[0];
  const Operand& weights = inputs[1];
  if (x.shape.c != weights.shape.c) {
    operation_error(Linear::name, fmt::format("the input {} has {} channels, but the weights {} take {}.", describe(x),
                                              x.shape.c, describe_weights(weights), weights.shape.c));
  }
  Shape shape = x.shape;
  shape.c = weights.shape.w;
  if (operation.normalizes) check_norm_factors(Linear::name, x, inputs.back());
  if (operation.has_bias(inputs.size()) && inputs[2].shape != Shape{.c = shape.c}) {
    operation_error(Linear::name, fmt::format("the bias {} does not hold one value for each of the {} rows of {}.",
                                              describe(inputs[2]), shape.c, describe_weights(weights)));
  }
  return {shape};
}

}  // namespace driftwood::graph

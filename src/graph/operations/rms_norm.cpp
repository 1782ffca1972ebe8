#include "graph/operations/rms_norm.h"

#include <fmt/format.h>

namespace driftwood::graph {

std::vector<Shape> output_shapes(const RmsNorm&, std::span<const Operand> inputs) {
  check_input_count(RmsNorm::name, inputs, 2, 2);
  const Operand& x = inputs[0];
  const Operand& gamma = inputs[1];
  if (gamma.shape != Shape{.c = x.shape.c}) {
    operation_error(RmsNorm::name, fmt::format("the factors {} are not one for each of the {} channels of {}.",
                                               describe(gamma), x.shape.c, describe(x)));
  }
  return {x.shape};
}

}  // namespace driftwood::graph

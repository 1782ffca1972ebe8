#include "graph/operations/add_rms_norm.h"

#include <fmt/format.h>

namespace driftwood::graph {

std::vector<Shape> output_shapes(const AddRmsNorm&, std::span<const Operand> inputs) {
  check_input_count(AddRmsNorm::name, inputs, 3, 3);
  const Operand& x = inputs[0];
  const Operand& residual = inputs[1];
  const Operand& gamma = inputs[2];
  if (x.shape != residual.shape) {
    operation_error(AddRmsNorm::name,
                    fmt::format("the terms {} and {} differ in shape.", describe(x), describe(residual)));
  }
  check_norm_factors(AddRmsNorm::name, x, gamma);
  return {x.shape, x.shape};
}

}  // namespace driftwood::graph

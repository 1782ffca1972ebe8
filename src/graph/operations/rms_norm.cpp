#include "graph/operations/rms_norm.h"

namespace driftwood::graph {

std::vector<Shape> output_shapes(const RmsNorm&, std::span<const Operand> inputs) {
  check_input_count(RmsNorm::name, inputs, 2, 2);
  const Operand& x = inputs[0];
  const Operand& gamma = inputs[1];
  check_norm_factors(RmsNorm::name, x, gamma);
  return {x.shape};
}

}  // namespace driftwood::graph

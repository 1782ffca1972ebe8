#include "graph/operations/select_token.h"

namespace driftwood::graph {

std::vector<Shape> output_shapes(const SelectToken&, std::span<const Operand> inputs) {
  check_input_count(SelectToken::name, inputs, 1, 1);
  Shape shape = inputs[0].shape;
  shape.w = 1;
  return {shape};
}

}  // namespace driftwood::graph

#include "graph/operations/integer_gated_linear.h"

#include "graph/operations/gated_linear.h"
#include "graph/operations/integer_linear.h"

namespace driftwood::graph {

std::vector<Shape> output_shapes(const IntegerGatedLinear& operation, std::span<const Operand> inputs) {
  const std::size_t place = operation.weights();
  check_input_count(IntegerGatedLinear::name, inputs, place + 2, place + 4);
  check_integers(IntegerGatedLinear::name, operation.input, inputs);
  // The rest is what a gated linear of an input with that many columns asks for.
  std::vector<Operand> plain{inputs[0]};
  plain[0].shape.c = inputs[place].shape.c;
  plain.insert(plain.end(), inputs.begin() + static_cast<std::ptrdiff_t>(place), inputs.end());
  return output_shapes(GatedLinear{operation.activation}, plain);
}

}  // namespace driftwood::graph

#include "graph/operations/concat.h"

#include <fmt/format.h>

namespace driftwood::graph {

std::vector<Shape> output_shapes(const Concat&, std::span<const Operand> inputs) {
  check_input_count(Concat::name, inputs, 2, 2);
  Shape shape = inputs[0].shape;
  Shape other = inputs[1].shape;
  other.c = shape.c;
  if (other != shape || shape.c % 4 != 0) {
    operation_error(Concat::name, fmt::format("the inputs {} and {} cannot be joined along the channels: their other "
                                              "axes must be equal and the first one's channels a multiple of 4.",
                                              describe(inputs[0]), describe(inputs[1])));
  }
  shape.c += inputs[1].shape.c;
  return {shape};
}

}  // namespace driftwood::graph

#include "graph/operations/head_norm.h"

#include <fmt/format.h>

namespace driftwood::graph {

std::vector<Shape> output_shapes(const HeadNorm& operation, std::span<const Operand> inputs) {
  check_input_count(HeadNorm::name, inputs, 2, 2);
  const Operand& x = inputs[0];
  const Operand& gamma = inputs[1];
  if (operation.head_size == 0) operation_error(HeadNorm::name, "the head size is 0.");
  if (x.shape.c % operation.head_size != 0) {
    operation_error(HeadNorm::name, fmt::format("the {} channels of {} are no multiple of the head size of {}.",
                                                x.shape.c, describe(x), operation.head_size));
  }
  if (gamma.shape != Shape{.c = operation.head_size}) {
    operation_error(HeadNorm::name, fmt::format("the factors {} are not one for each of the {} channels of a head.",
                                                describe(gamma), operation.head_size));
  }
  return {x.shape};
}

}  // namespace driftwood::graph

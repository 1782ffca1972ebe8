#include "graph/operations/embedding.h"

#include <fmt/format.h>

namespace driftwood::graph {

std::vector<Shape> output_shapes(const Embedding&, std::span<const Operand> inputs) {
  check_input_count(Embedding::name, inputs, 2, 2);
  const Operand& ids = inputs[0];
  if (ids.shape.c != 1) {
    operation_error(Embedding::name, fmt::format("the ids {} have {} channels, but each position holds one id.",
                                                 describe(ids), ids.shape.c));
  }
  Shape shape = ids.shape;
  shape.c = inputs[1].shape.c;
  return {shape};
}

}  // namespace driftwood::graph

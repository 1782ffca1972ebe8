#include "graph/operations/rope.h"

#include <fmt/format.h>

namespace driftwood::graph {

std::string_view to_string(RopePairing pairing) { return pairing == RopePairing::Halves ? "halves" : "adjacent"; }

void check_rope(std::string_view operation, const Rope& rope, const Operand& frequencies) {
  if (rope.head_size == 0) operation_error(operation, "the head size is 0.");
  if (rope.rotary == 0 || rope.rotary % 2 != 0 || rope.rotary > rope.head_size) {
    operation_error(operation, fmt::format("{} rotary channels are no even number from 2 to the head size of {}.",
                                           rope.rotary, rope.head_size));
  }
  if (frequencies.shape != Shape{.c = rope.rotary / 2}) {
    operation_error(operation, fmt::format("the frequencies {} are not one for each of the {} pairs of {} channels.",
                                           describe(frequencies), rope.rotary / 2, rope.rotary));
  }
}

std::vector<Shape> output_shapes(const Rope& rope, std::span<const Operand> inputs) {
  check_input_count(Rope::name, inputs, 2, 2);
  check_rope(Rope::name, rope, inputs[1]);
  const Operand& x = inputs[0];
  if (x.shape.c % rope.head_size != 0) {
    operation_error(Rope::name, fmt::format("the {} channels of {} are no multiple of the head size of {}.", x.shape.c,
                                            describe(x), rope.head_size));
  }
  return {x.shape};
}

}  // namespace driftwood::graph

#include "graph/operations/integer_linear.h"

#include <fmt/format.h>

namespace driftwood::graph {

void check_integers(std::string_view operation, IntegerInput input, std::span<const Operand> inputs) {
  const Operand& x = inputs[0];
  const Operand& weights = inputs[values_of(input)];
  const std::uint32_t columns = weights.shape.c;
  const std::uint32_t channels = input == IntegerInput::Packed ? packed_words(columns) : columns;
  if (x.shape.c != channels) {
    operation_error(operation,
                    fmt::format("the input {} has {} channels, but the weights {} take {}{}.", describe(x), x.shape.c,
                                describe_weights(weights), channels, input == IntegerInput::Packed ? " words" : ""));
  }
  const auto check = [&](std::size_t place, std::uint32_t count, std::string_view what) {
    Shape shape = x.shape;
    shape.c = count;
    if (inputs[place].shape == shape) return;
    operation_error(operation, fmt::format("the {} {} are not {} for each position of {}.", what,
                                           describe(inputs[place]), count, describe(x)));
  };
  if (input == IntegerInput::Fused) return;
  check(1, integer_chunks(columns), "scales");
  check(2, integer_chunks(columns), "sums");
}

std::vector<Shape> output_shapes(const IntegerLinear& operation, std::span<const Operand> inputs) {
  const std::size_t place = operation.weights();
  check_input_count(IntegerLinear::name, inputs, place + 1, place + 2);
  check_integers(IntegerLinear::name, operation.input, inputs);
  const Operand& weights = inputs[place];
  Shape shape = inputs[0].shape;
  shape.c = weights.shape.w;
  if (inputs.size() > place + 1 && inputs[place + 1].shape != Shape{.c = shape.c}) {
    operation_error(IntegerLinear::name,
                    fmt::format("the bias {} does not hold one value for each of the {} rows of {}.",
                                describe(inputs[place + 1]), shape.c, describe_weights(weights)));
  }
  return {shape};
}

}  // namespace driftwood::graph

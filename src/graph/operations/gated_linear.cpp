#include "graph/operations/gated_linear.h"

#include <fmt/format.h>

namespace driftwood::graph {

std::vector<Shape> output_shapes(const GatedLinear& operation, std::span<const Operand> inputs) {
  const std::size_t least = operation.normalizes ? 4 : 3;
  check_input_count(GatedLinear::name, inputs, least, least + 2);
  if (inputs.size() == least + 1) operation_error(GatedLinear::name, "one bias is given; both or none are needed.");
  const ElementOpInfo& activation = info(operation.activation);
  if (activation.operands != 1 || activation.constants != 0) {
    operation_error(GatedLinear::name, fmt::format("'{}' is no activation of one operand.", activation.name));
  }
  const Operand& x = inputs[0];
  const Operand& gate = inputs[1];
  const Operand& up = inputs[2];
  for (const Operand* weights : {&gate, &up}) {
    if (x.shape.c == weights->shape.c) continue;
    operation_error(GatedLinear::name,
                    fmt::format("the input {} has {} channels, but the weights {} take {}.", describe(x), x.shape.c,
                                describe_weights(*weights), weights->shape.c));
  }
  if (gate.shape.w != up.shape.w) {
    operation_error(GatedLinear::name,
                    fmt::format("the gate {} has {} rows, but the up projection {} has {}.", describe_weights(gate),
                                gate.shape.w, describe_weights(up), up.shape.w));
  }
  if (operation.normalizes) check_norm_factors(GatedLinear::name, x, inputs.back());
  for (const Operand& bias : inputs.subspan(3, inputs.size() - least)) {
    if (bias.shape == Shape{.c = gate.shape.w}) continue;
    operation_error(GatedLinear::name, fmt::format("the bias {} does not hold one value for each of the {} rows of {}.",
                                                   describe(bias), gate.shape.w, describe_weights(gate)));
  }
  Shape shape = x.shape;
  shape.c = gate.shape.w;
  return {shape};
}

}  // namespace driftwood::graph

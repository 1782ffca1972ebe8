// Element-wise nodes that no producer took: one kernel whose fusion point is the whole program.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "graph/epilogue.h"
#include "graph/selection/rows.h"
#include "graph/selection/token_axis.h"
#include "graph/selection/workgroups.h"

namespace driftwood::graph {

namespace {

bool has_no_depth(const Node& node, const SelectionContext& context) { return context.shape(node.outputs[0]).d == 1; }

Lowering lower_element_wise(const Node& node, const SelectionContext& context) {
  const ValueId output = node.outputs[0];
  const Shape& shape = context.shape(output);
  // The kernel computes nothing of its own: every input of the program is a fused tensor, and `value` is not read.
  ElementWise program = *node.as<ElementWise>();
  std::vector<ValueId> inputs = node.inputs;
  if (!node.epilogue.empty()) {
    program = compose(node.epilogue, 0, program);
    inputs.insert(inputs.end(), node.epilogue_inputs.begin(), node.epilogue_inputs.end());
  }
  for (ElementInstruction& instruction : program.instructions) {
    ++instruction.a;
    if (info(instruction.op).operands == 2) ++instruction.b;
  }
  ++program.inputs;

  KernelUse use{.module_path = "package::elementwise", .label = node.name};
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    shapes.push_back(context.shape(inputs[i]));
    use.resources.push_back(read(fmt::format("fused_{}", i), inputs[i]));
    if (context.value(inputs[i]).role == Role::Activation &&
        context.descriptor(inputs[i]) == context.descriptor(output)) {
      use.in_place.emplace_back(output, inputs[i]);
    }
  }
  use.resources.push_back(write("y", output));
  use.resources.push_back(parameters());
  use.specialization.fusions["epilogue"] = fusion_source("epilogue", "fused", program, shapes, shape);

  // Threads along the slices first, as buffers hold them; what is left of the group goes along the tokens.
  const auto [lanes_s, lanes_x] = plane_for(context.facts, shape.slices());
  use.specialization.overrides = {
      {"lanes_s", lanes_s}, {"lanes_x", lanes_x}, {"rows_per_token", rows_per_token(context, output)}};
  use.grid[0] = groups_of(shape.slices(), lanes_s);
  use.grid[1] = groups_of_rows(context, output, lanes_x);
  use.grid[2] = {.fixed = shape.h * shape.b};
  return {.kernels = {std::move(use)}};
}

constexpr KernelRow rows[] = {{ElementWise::name, "elementwise", has_no_depth, lower_element_wise}};

}  // namespace

std::span<const KernelRow> element_wise_kernels() { return rows; }

}  // namespace driftwood::graph

#include "graph/selection/rows.h"
#include "graph/selection/token_axis.h"
#include "graph/selection/workgroups.h"

namespace driftwood::graph {

namespace {

Lowering concat(const Node& node, const SelectionContext& context) {
  const ValueId y = node.outputs[0];
  const Shape& shape = context.shape(y);
  const auto [lanes_s, lanes_x] = plane_for(context.facts, shape.slices());
  KernelUse use{.module_path = "package::concat", .label = node.name};
  use.specialization.overrides = {
      {"lanes_s", lanes_s}, {"lanes_x", lanes_x}, {"rows_per_token", rows_per_token(context, y)}};
  use.resources = {read("x", node.inputs[0]), read("x2", node.inputs[1]), write("y", y), parameters()};
  use.grid = {groups_of(shape.slices(), lanes_s), groups_of_rows(context, y, lanes_x),
              GridExtent{.fixed = shape.h * shape.b}};
  return {.kernels = {std::move(use)}};
}

constexpr KernelRow rows[] = {{Concat::name, "concat", has_no_depth, concat}};

}  // namespace

std::span<const KernelRow> concat_kernels() { return rows; }

}  // namespace driftwood::graph

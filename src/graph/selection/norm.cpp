#include "base/checked.h"
#include "graph/selection/rows.h"
#include "graph/selection/token_axis.h"
#include "graph/selection/tunable.h"
#include "graph/selection/workgroups.h"

namespace driftwood::graph {
namespace {

Lowering rms_norm(const Node& node, const SelectionContext& context) {
  KernelUse use{.module_path = "package::rms_norm", .label = node.name};
  use.specialization.overrides = {{"epsilon", node.as<RmsNorm>()->epsilon},
                                  {"lanes", tuned_lanes(context, context.shape(node.inputs[0]).slices())}};
  use.resources = {read("x", node.inputs[0]), read("gamma", node.inputs[1]), write("y", node.outputs[0])};
  use.grid = {groups_of_rows(context, node.inputs[0])};
  add_epilogue(node, context, use);
  return {.kernels = {std::move(use)}};
}

Lowering add_rms_norm(const Node& node, const SelectionContext& context) {
  KernelUse use{.module_path = "package::add_rms_norm", .label = node.name};
  use.specialization.overrides = {{"epsilon", node.as<AddRmsNorm>()->epsilon},
                                  {"lanes", tuned_lanes(context, context.shape(node.inputs[0]).slices())}};
  use.resources = {read("x", node.inputs[0]), read("residual", node.inputs[1]), read("gamma", node.inputs[2]),
                   write("sum", node.outputs[0]), write("y", node.outputs[1])};
  use.grid = {groups_of_rows(context, node.inputs[0])};
  return {.kernels = {std::move(use)}};
}

Lowering layer_norm(const Node& node, const SelectionContext& context) {
  const Shape& shape = context.shape(node.inputs[0]);
  // A subgroup keeps a row of up to 2,048 channels in its registers, and its sums need no barrier.
  constexpr std::uint32_t most_kept = 16;
  const std::uint32_t subgroup = subgroup_lanes(context.facts);
  const bool is_subgroup = subgroup != 0 && divide_up(shape.slices(), subgroup) <= most_kept;
  const std::uint32_t lanes = is_subgroup ? subgroup : lanes_for(context.facts, shape.slices());
  KernelUse use{.module_path = "package::layer_norm", .label = node.name};
  use.specialization.overrides = {{"epsilon", node.as<LayerNorm>()->epsilon},
                                  {"lanes", lanes},
                                  {"is_subgroup", is_subgroup},
                                  {"keeps", !context.facts.is_cpu && divide_up(shape.slices(), lanes) <= most_kept}};
  use.resources = {read("x", node.inputs[0]), read("gamma", node.inputs[1]), read("beta", node.inputs[2]),
                   write("y", node.outputs[0])};
  use.grid = {groups_of_rows(context, node.inputs[0]), GridExtent{.fixed = shape.h * shape.b}};
  add_epilogue(node, context, use);
  return {.kernels = {std::move(use)}};
}

constexpr KernelRow rows[] = {{RmsNorm::name, "rms-norm", has_only_rows, rms_norm},
                              {AddRmsNorm::name, "add-rms-norm", has_only_rows, add_rms_norm},
                              {LayerNorm::name, "layer-norm", has_no_depth, layer_norm}};

}  // namespace

std::span<const KernelRow> norm_kernels() { return rows; }

}  // namespace driftwood::graph

#include "graph/selection/rows.h"
#include "graph/selection/workgroups.h"

namespace driftwood::graph {
namespace {

bool always(const Node&, const SelectionContext&) { return true; }

GridExtent a_group_a_token(const SelectionContext& context, ValueId x) {
  return context.per_token(x) ? GridExtent{.rows_per_group = 1} : GridExtent{.fixed = context.shape(x).w};
}

Lowering rms_norm(const Node& node, const SelectionContext& context) {
  KernelUse use{.module_path = "package::rms_norm", .label = node.name};
  use.specialization.overrides = {{"epsilon", node.as<RmsNorm>()->epsilon},
                                  {"lanes", lanes_for(context.facts, context.shape(node.inputs[0]).slices())}};
  use.resources = {read("x", node.inputs[0]), read("gamma", node.inputs[1]), write("y", node.outputs[0])};
  use.grid = {a_group_a_token(context, node.inputs[0])};
  add_epilogue(node, context, use);
  return {.kernels = {std::move(use)}};
}

Lowering add_rms_norm(const Node& node, const SelectionContext& context) {
  KernelUse use{.module_path = "package::add_rms_norm", .label = node.name};
  use.specialization.overrides = {{"epsilon", node.as<AddRmsNorm>()->epsilon},
                                  {"lanes", lanes_for(context.facts, context.shape(node.inputs[0]).slices())}};
  use.resources = {read("x", node.inputs[0]), read("residual", node.inputs[1]), read("gamma", node.inputs[2]),
                   write("sum", node.outputs[0]), write("y", node.outputs[1])};
  use.grid = {a_group_a_token(context, node.inputs[0])};
  return {.kernels = {std::move(use)}};
}

constexpr KernelRow rows[] = {{RmsNorm::name, "rms-norm", always, rms_norm},
                              {AddRmsNorm::name, "add-rms-norm", always, add_rms_norm}};

}  // namespace

std::span<const KernelRow> norm_kernels() { return rows; }

}  // namespace driftwood::graph

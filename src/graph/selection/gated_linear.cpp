#include "graph/epilogue.h"
#include "graph/selection/linear.h"
#include "graph/selection/rows.h"
#include "graph/selection/token_axis.h"

namespace driftwood::graph {
namespace {

KernelUse gated_use(const Node& node, const SelectionContext& context, std::string module_path) {
  const Shape& shape = context.shape(node.outputs[0]);
  KernelUse use{.module_path = std::move(module_path), .label = node.name};
  use.specialization.weights = {{"gate", weights_descriptor(context, node.inputs[1])},
                                {"up", weights_descriptor(context, node.inputs[2])}};
  use.specialization.fusions = {
      {"activation", fusion_source("activation", "activation", single(node.as<GatedLinear>()->activation),
                                   std::span(&shape, 1), shape)}};
  use.resources = {read("x", node.inputs[0]), read("gate", node.inputs[1]), read("up", node.inputs[2]),
                   write("y", node.outputs[0]), parameters()};
  add_epilogue(node, context, use);
  return use;
}

Lowering gated_linear_wide(const Node& node, const SelectionContext& context) {
  return in_wide_rows(gated_use(node, context, "package::gated_linear_wide"), node, context, "gate");
}

Lowering gated_linear_rows(const Node& node, const SelectionContext& context) {
  return in_lanes(gated_use(node, context, "package::gated_linear_rows"), node, context, "gate");
}

constexpr KernelRow rows[] = {{GatedLinear::name, "gated-linear-wide", takes_wide_rows, gated_linear_wide},
                              {GatedLinear::name, "gated-linear-rows", has_only_rows, gated_linear_rows}};

}  // namespace

std::span<const KernelRow> gated_linear_kernels() { return rows; }

}  // namespace driftwood::graph

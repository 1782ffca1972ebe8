#include "graph/selection/linear.h"
#include "graph/selection/rows.h"
#include "graph/selection/workgroups.h"

namespace driftwood::graph {
namespace {

bool always(const Node&, const SelectionContext&) { return true; }

Lowering embedding(const Node& node, const SelectionContext& context) {
  KernelUse use{.module_path = "package::embedding", .label = node.name};
  use.specialization.overrides = {{"lanes", lanes_for(context.facts, context.shape(node.outputs[0]).slices())}};
  use.specialization.weights = {{"table", weights_descriptor(context, node.inputs[1])}};
  use.resources = {read("ids", node.inputs[0]), read("table", node.inputs[1]), write("y", node.outputs[0])};
  use.grid = {GridExtent{.rows_per_group = 1}};
  add_epilogue(node, context, use);
  return {.kernels = {std::move(use)}};
}

constexpr KernelRow rows[] = {{Embedding::name, "embedding", always, embedding}};

}  // namespace

std::span<const KernelRow> embedding_kernels() { return rows; }

}  // namespace driftwood::graph

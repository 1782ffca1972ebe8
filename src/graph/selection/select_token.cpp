#include "graph/selection/rows.h"
#include "graph/selection/token_axis.h"
#include "graph/selection/workgroups.h"

namespace driftwood::graph {
namespace {

Lowering select_token(const Node& node, const SelectionContext& context) {
  const std::uint32_t slices = context.shape(node.outputs[0]).slices();
  // One slice an invocation, one group a slice on CPUs would be all overhead: a group copies up to 64 slices there too.
  const std::uint32_t lanes = context.facts.is_cpu ? std::min<std::uint32_t>(64, context.facts.max_workgroup_size)
                                                   : lanes_for(context.facts, slices);
  KernelUse use{.module_path = "package::select_token", .label = node.name};
  use.specialization.overrides = {{"lanes", lanes}};
  use.resources = {read("x", node.inputs[0]), write("y", node.outputs[0]), parameters()};
  use.grid = {groups_of(slices, lanes)};
  add_epilogue(node, context, use);
  return {.kernels = {std::move(use)}};
}

constexpr KernelRow rows[] = {{SelectToken::name, "select-token", has_a_row_a_token, select_token}};

}  // namespace

std::span<const KernelRow> select_token_kernels() { return rows; }

}  // namespace driftwood::graph

// Statistics of a group norm: one kernel over chunks of positions, one that joins the chunks.
#include <algorithm>
#include <numeric>

#include "base/checked.h"
#include "graph/selection/rows.h"
#include "graph/selection/token_axis.h"
#include "graph/selection/workgroups.h"
#include "graph/storage_choice.h"

namespace driftwood::graph {
namespace {

// All positions count.
bool has_no_tokens(const Node& node, const SelectionContext& context) {
  return context.shape(node.inputs[0]).d == 1 && (context.graph.max_tokens == 1 || !context.per_token(node.inputs[0]));
}

// How positions and slices are cut into workgroups.
struct Cut {
  std::uint32_t columns, rows, width, block, chunk;
};

Cut cut_for_cpu(std::uint64_t positions) {
  // Four slices are a line of the cache.
  return {.columns = 1,
          .rows = 1,
          .width = 4,
          .block = 4,
          .chunk = static_cast<std::uint32_t>(std::min<std::uint64_t>(positions, 512))};
}

Cut cut_for_gpu(const gpu::DeviceFacts& facts, std::uint32_t slices, std::uint64_t positions, std::uint32_t batch) {
  // Neighbours along the slices read neighbouring memory: 32 slices of halves are 256 bytes.
  std::uint32_t columns = 32;
  while (columns > 8 && slices % columns != 0) columns /= 2;
  columns = std::min(columns, lanes_for(facts, slices));
  Cut cut{.columns = columns,
          .rows = std::min(lanes_for(facts, 256) / columns, std::bit_floor(facts.max_workgroup_extent[1])),
          .width = 1,
          .block = 8,
          .chunk = 0};
  // Up to 32 positions an invocation, fewer where there would not be eight workgroups for each compute unit.
  std::uint32_t each = 32;
  const auto workgroups = [&] {
    return divide_up(slices, columns) * divide_up(positions, std::uint64_t{each} * cut.rows) * batch;
  };
  while (each > 4 && workgroups() < 8 * std::uint64_t{facts.compute_units}) each /= 2;
  cut.block = std::min(cut.block, each);
  cut.chunk = each * cut.rows;
  return cut;
}

Lowering group_statistics(const Node& node, const SelectionContext& context) {
  const auto& operation = *node.as<GroupStatistics>();
  const Shape& x = context.shape(node.inputs[0]);
  const Shape& output = context.shape(node.outputs[0]);
  const bool joined = node.inputs.size() == 4;
  const std::uint32_t positions = x.h * x.w;
  const std::uint32_t slices = output.slices();
  const Cut cut = context.facts.is_cpu ? cut_for_cpu(positions) : cut_for_gpu(context.facts, slices, positions, x.b);
  const auto chunks = static_cast<std::uint32_t>(divide_up(positions, cut.chunk));
  const TensorDescriptor partial{.shape = {.b = x.b, .w = chunks, .c = output.c},
                                 .layout = default_layout(StorageKind::Buffer)};

  KernelUse channels{.module_path = "package::channel_statistics", .label = node.name + ".channels"};
  channels.specialization.overrides = {{"joined", joined},   {"columns", cut.columns}, {"rows", cut.rows},
                                       {"width", cut.width}, {"chunk", cut.chunk},     {"block", cut.block}};
  channels.resources = {read("x", node.inputs[0]), read("x2", node.inputs[joined ? 3 : 0]), write_scratch("means", 0),
                        write_scratch("squares", 1)};
  channels.grid = {groups_of(slices, cut.columns * cut.width), GridExtent{.fixed = chunks}, GridExtent{.fixed = x.b}};

  const std::uint32_t size = output.c / operation.groups;
  const std::uint32_t span = 4 / std::gcd(size, 4U);
  KernelUse groups{.module_path = "package::group_statistics", .label = node.name};
  groups.specialization.overrides = {{"lanes", lanes_for(context.facts, std::uint64_t{chunks} * size)},
                                     {"positions", positions},
                                     {"chunk", cut.chunk},
                                     {"size", size},
                                     {"span", span},
                                     {"epsilon", operation.epsilon}};
  groups.resources = {read_scratch("means", 0),     read_scratch("squares", 1),      read("gamma", node.inputs[1]),
                      read("beta", node.inputs[2]), write("scale", node.outputs[0]), write("shift", node.outputs[1])};
  groups.grid = {groups_of(operation.groups, span), GridExtent{.fixed = x.b}};
  return {.kernels = {std::move(channels), std::move(groups)},
          .scratch = {{.name = node.name + ".means", .tensor = partial},
                      {.name = node.name + ".squares", .tensor = partial}}};
}

constexpr KernelRow rows[] = {{GroupStatistics::name, "group-statistics", has_no_tokens, group_statistics}};

}  // namespace

std::span<const KernelRow> group_statistics_kernels() { return rows; }

}  // namespace driftwood::graph

// Statistics of a group norm: one kernel over chunks of positions and one that joins the chunks, or one for both.
#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "base/checked.h"
#include "graph/selection/convolution.h"
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

// What a node is over: the positions and slices of both inputs, joined.
struct Extents {
  std::uint32_t batch, positions, slices;
  std::uint32_t groups;
  std::uint32_t size;  // channels of a group
  std::uint32_t span;  // groups that begin and end with whole slices
  bool joined;
};

Extents extents_of(const Node& node, const SelectionContext& context) {
  const Shape& x = context.shape(node.inputs[0]);
  const Shape& output = context.shape(node.outputs[0]);
  const std::uint32_t groups = node.as<GroupStatistics>()->groups;
  const std::uint32_t size = output.c / groups;
  return {.batch = x.b,
          .positions = x.h * x.w,
          .slices = output.slices(),
          .groups = groups,
          .size = size,
          .span = 4 / std::gcd(size, 4U),
          .joined = joined_input(node) != no_value};
}

std::vector<ResourceUse> inputs_of(const Node& node) {
  const ValueId x2 = joined_input(node);
  return {read("x", node.inputs[0]), read("x2", x2 != no_value ? x2 : node.inputs[0])};
}

std::vector<ResourceUse> factors_of(const Node& node) {
  return {read("gamma", node.inputs[1]), read("beta", node.inputs[2]), write("scale", node.outputs[0]),
          write("shift", node.outputs[1])};
}

std::map<std::string, double> groups_overrides(const Node& node, const Extents& extents) {
  return {{"size", extents.size}, {"span", extents.span}, {"epsilon", node.as<GroupStatistics>()->epsilon}};
}

// One launch: a workgroup takes `span` groups over all positions.
struct Whole {
  std::uint32_t columns, rows, block;
};

// What an invocation, or one of a workgroup alone, does one after the other in the time of a launch that is saved.
constexpr std::uint64_t most_positions = 64;
constexpr std::uint32_t most_channels = 128;
constexpr std::uint64_t most_bytes = 320 << 10;  // that a workgroup reads

// Nothing where a workgroup would have too much to do, or does not fit.
std::optional<Whole> whole_for(const Node& node, const SelectionContext& context) {
  const gpu::DeviceFacts& facts = context.facts;
  if (facts.is_cpu) return std::nullopt;
  const Extents extents = extents_of(node, context);
  const std::uint32_t channels = extents.span * extents.size;
  if (extents.size > most_channels) return std::nullopt;
  for (const ResourceUse& input : inputs_of(node)) {
    const std::uint64_t bytes = row_bytes(context.descriptor(input.index).data_type, channels);
    if (extents.positions * bytes > most_bytes) return std::nullopt;
  }

  Whole whole{.columns = channels / 4, .rows = 1, .block = 8};
  const std::uint32_t lanes = std::min(facts.max_workgroup_size, 1024U);
  if (whole.columns > std::min(lanes, facts.max_workgroup_extent[0])) return std::nullopt;
  const auto fits = [&](std::uint32_t rows) {
    const std::uint64_t invocations = std::uint64_t{whole.columns} * rows;
    const std::uint64_t memory = invocations * (4 + 2 * 16) + std::uint64_t{extents.span} * 2 * 4;
    return invocations <= lanes && rows <= facts.max_workgroup_extent[1] && memory <= facts.local_memory;
  };
  if (!fits(1)) return std::nullopt;
  // More rows only where each has a block of positions.
  while (fits(2 * whole.rows) && 2 * whole.rows * whole.block <= extents.positions) whole.rows *= 2;
  if (divide_up(extents.positions, whole.rows) > most_positions) return std::nullopt;
  return whole;
}

bool is_small(const Node& node, const SelectionContext& context) {
  return has_no_tokens(node, context) && whole_for(node, context).has_value();
}

Lowering group_statistics_whole(const Node& node, const SelectionContext& context) {
  const Extents extents = extents_of(node, context);
  const Whole whole = whole_for(node, context).value();
  KernelUse use{.module_path = "package::group_statistics_whole", .label = node.name};
  use.specialization.overrides = groups_overrides(node, extents);
  use.specialization.overrides.insert(
      {{"joined", extents.joined}, {"columns", whole.columns}, {"rows", whole.rows}, {"block", whole.block}});
  use.resources = inputs_of(node);
  std::ranges::move(factors_of(node), std::back_inserter(use.resources));
  use.grid = {groups_of(extents.groups, extents.span), GridExtent{.fixed = extents.batch}};
  return {.kernels = {std::move(use)}};
}

// Two launches: how positions and slices are cut into workgroups of the first.
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
  const gpu::DeviceFacts& facts = context.facts;
  const Extents extents = extents_of(node, context);
  const std::uint32_t positions = extents.positions;
  const Cut cut = facts.is_cpu ? cut_for_cpu(positions) : cut_for_gpu(facts, extents.slices, positions, extents.batch);
  const auto chunks = static_cast<std::uint32_t>(divide_up(positions, cut.chunk));
  const TensorDescriptor partial{.shape = {.b = extents.batch, .w = chunks, .c = context.shape(node.outputs[0]).c},
                                 .layout = default_layout(StorageKind::Buffer)};

  KernelUse channels{.module_path = "package::channel_statistics", .label = node.name + ".channels"};
  channels.specialization.overrides = {{"joined", extents.joined}, {"columns", cut.columns}, {"rows", cut.rows},
                                       {"width", cut.width},       {"chunk", cut.chunk},     {"block", cut.block}};
  channels.resources = inputs_of(node);
  channels.resources.push_back(write_scratch("means", 0));
  channels.resources.push_back(write_scratch("squares", 1));
  channels.grid = {groups_of(extents.slices, std::uint64_t{cut.columns} * cut.width), GridExtent{.fixed = chunks},
                   GridExtent{.fixed = extents.batch}};

  KernelUse groups{.module_path = "package::group_statistics", .label = node.name};
  groups.specialization.overrides = groups_overrides(node, extents);
  groups.specialization.overrides.insert({{"lanes", lanes_for(facts, std::uint64_t{chunks} * extents.size)},
                                          {"positions", positions},
                                          {"chunk", cut.chunk}});
  groups.resources = {read_scratch("means", 0), read_scratch("squares", 1)};
  std::ranges::move(factors_of(node), std::back_inserter(groups.resources));
  groups.grid = {groups_of(extents.groups, extents.span), GridExtent{.fixed = extents.batch}};
  return {.kernels = {std::move(channels), std::move(groups)},
          .scratch = {{.name = node.name + ".means", .tensor = partial},
                      {.name = node.name + ".squares", .tensor = partial}}};
}

constexpr KernelRow rows[] = {{GroupStatistics::name, "group-statistics-whole", is_small, group_statistics_whole},
                              {GroupStatistics::name, "group-statistics", has_no_tokens, group_statistics}};

}  // namespace

std::span<const KernelRow> group_statistics_kernels() { return rows; }

}  // namespace driftwood::graph

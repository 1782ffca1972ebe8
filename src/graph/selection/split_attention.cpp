#include "graph/selection/split_attention.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/checked.h"
#include "graph/cost.h"
#include "graph/selection/cached_attention.h"
#include "graph/selection/workgroups.h"
#include "graph/storage_choice.h"

namespace driftwood::graph {
namespace {

std::uint32_t parts_of(std::uint64_t a, std::uint64_t b) { return static_cast<std::uint32_t>(divide_up(a, b)); }

// Invocations that share a position: each has eight channels.
std::uint32_t team_of(std::uint32_t slices) { return std::bit_ceil(parts_of(slices, 2)); }

std::uint32_t most_steps(std::uint32_t rows, std::uint32_t slices) { return team_of(slices) / std::bit_ceil(rows); }

bool fits(const SplitTiling& tiling, std::uint32_t slices, const gpu::DeviceFacts& facts) {
  if (tiling.halves && most_steps(tiling.rows, slices) < std::max(1U, tiling.steps)) return false;
  const std::uint32_t least_lanes = tiling.halves ? team_of(slices) : std::max(slices, 4U);
  return tiling.lanes >= least_lanes && split_bytes(tiling, slices) <= facts.local_memory;
}

// One workgroup for each KV head has the device almost to itself: each row of queries has one of its own, with as many
// invocations as there may be, and all read what is in the device's cache by then.
SplitTiling whole_tiling(const SplitTiling& tiling, std::uint32_t slices, const gpu::DeviceFacts& facts) {
  SplitTiling whole = tiling;
  whole.rows = 1;
  whole.steps = std::min(8U, most_steps(1, slices));
  for (whole.lanes = lanes_for(facts, 256); whole.lanes > tiling.lanes; whole.lanes /= 2) {
    if (fits(whole, slices, facts)) return whole;
  }
  return tiling;
}

// So many blocks are faster attended to by one launch than divided and joined by two.
constexpr std::uint32_t whole_blocks = 3;

constexpr std::uint32_t most_parts = 64;

}  // namespace

std::uint32_t split_block(const SplitTiling& tiling, std::uint32_t slices) {
  return tiling.halves ? tiling.lanes / team_of(slices) * tiling.steps : tiling.lanes / 4;
}

std::uint64_t split_bytes(const SplitTiling& tiling, std::uint32_t slices) {
  const std::uint64_t rows = tiling.rows;
  if (tiling.halves) return tiling.lanes / team_of(slices) * rows * 4 * (2 + 4 * std::uint64_t{slices});
  const std::uint64_t block = split_block(tiling, slices),
                      shares = std::min<std::uint64_t>(tiling.lanes / slices, block);
  return 4 *
         (4 * rows * slices + 4 * (rows * block + 8) + 2 * rows * block + 2 * rows + rows * shares * (1 + 4 * slices));
}

bool takes_split_halves(const Node& node, const SelectionContext& context) {
  const gpu::DeviceFacts& facts = context.facts;
  const std::uint32_t slices = context.shape(node.inputs[0]).slices();
  if (!facts.has_subgroups || slices % 2 != 0) return false;
  constexpr std::uint32_t least_team = 4;
  if (team_of(slices) < least_team || team_of(slices) > facts.subgroup_size) return false;
  return has_plain_halves(node, context);
}

Split choose_split(const Node& node, const SelectionContext& context, bool halves) {
  const auto& attention = *node.as<Attention>();
  const Shape& queries = context.shape(node.inputs[0]);
  const std::uint32_t slices = queries.slices();
  const std::uint32_t tokens = context.graph.max_tokens;
  const std::uint32_t most_lanes = lanes_for(context.facts, 256);
  SplitTiling tiling{.halves = halves};
  tiling.lanes = context.choice("lanes", lanes_for(context.facts, 128), {64, 128, 256}, [&](std::uint32_t value) {
    return value <= most_lanes && value >= (halves ? team_of(slices) : slices);
  });
  // Sums of so many rows stay in registers.
  std::uint32_t most = halves || slices > 32 ? 4 : 8;
  // Of few KV heads each row is better off alone: there are then workgroups enough, and the cache comes from memory
  // once all the same. Of gemma3-1b's one KV head a layer takes 6.9 us that way, 8.1 with four rows at a time
  // (docs/performance.md).
  if (halves) {
    const auto groups = [&] { return std::uint64_t{queries.h} * parts_of(queries.w, most) * most_parts; };
    while (most > 1 && groups() < std::uint64_t{2} * context.facts.compute_units) most /= 2;
  }
  for (; most > 0; most /= 2) {
    tiling.rows = parts_of(queries.w, parts_of(queries.w, most));
    if (tiling.lanes < slices || fits(tiling, slices, context.facts)) break;
  }
  const SplitTiling by_rule = tiling;
  tiling.rows = context.choice("rows", tiling.rows, {1, 2, 4, 8}, [&](std::uint32_t rows) {
    SplitTiling other = by_rule;
    other.rows = rows;
    return rows <= queries.w && (halves || rows <= by_rule.rows) && fits(other, slices, context.facts);
  });
  if (halves) {
    // More at a time would take registers that more workgroups are better for.
    const std::uint32_t limit = std::max(1U, most_steps(tiling.rows, slices));
    tiling.steps = context.choice("steps", std::min(8 / std::bit_ceil(tiling.rows), limit), {1, 2, 4, 8},
                                  [&](std::uint32_t steps) { return steps <= limit; });
  }
  // Four workgroups a compute unit hide each other's waiting; the parts are then few enough to be added quickly.
  Split split{.tiling = tiling};
  const std::uint32_t places = context.shape(node.inputs[1]).w;
  std::uint64_t seen = places;
  if (attention.window > 0) seen = std::min(seen, std::uint64_t{attention.window} + tokens - 1);
  const std::uint32_t wanted = parts_of(std::uint64_t{4} * context.facts.compute_units,
                                        std::uint64_t{queries.h} * parts_of(queries.w, tiling.rows));
  const std::uint32_t blocks = parts_of(seen, std::max(1U, split_block(tiling, slices)));
  split.parts = context.choice("splits", std::min(std::clamp(wanted, 8U, most_parts), blocks),
                               {2, 4, 8, 16, 32, 64, 128}, [&](std::uint32_t splits) { return splits <= blocks; });
  if (!halves) return split;
  split.whole = whole_tiling(tiling, slices, context.facts);
  // A quarter of the cache, so that small ones are divided too.
  const std::uint32_t undivided = std::min(whole_blocks * split_block(split.whole, slices), places / 4);
  split.undivided = context.choice("undivided", undivided, {0, 64, 128, 192, 256, 384, 512, 768, 1024},
                                   [&](std::uint32_t positions) { return positions <= places; });
  return split;
}

namespace {

KernelUse split_use(const Node& node, const SelectionContext& context, const SplitTiling& tiling, std::uint32_t parts) {
  const std::uint32_t slices = context.shape(node.inputs[0]).slices();
  KernelUse use = cache_use(tiling.halves ? "package::attention_split_halves" : "package::attention_split", node,
                            context, tiling.rows);
  auto& overrides = use.specialization.overrides;
  overrides.insert(
      {{"lanes", tiling.lanes}, {"rows", tiling.rows}, {"block", split_block(tiling, slices)}, {"splits", parts}});
  if (tiling.halves) {
    overrides.insert({{"row_places", std::bit_ceil(tiling.rows)}, {"team", team_of(slices)}, {"steps", tiling.steps}});
    bind_plain(use, context, "k_units", 'k', node.inputs[1]);
    bind_plain(use, context, "v_units", 'v', node.inputs[2]);
  }
  return use;
}

KernelUse undivided(const Node& node, const SelectionContext& context, const Split& split, const Scratch& parts) {
  KernelUse use = split_use(node, context, split.whole, 1);
  use.specialization.overrides["whole"] = true;
  use.specialization.tensors["parts"] = *parts.tensor;  // of its kind; not used
  use.resources.push_back(write("y", node.outputs[0]));
  add_epilogue(node, context, use);
  use.grid[2] = GridExtent{.fixed = 1, .most_context = split.undivided};
  use.cost = estimate_cost(use, node, true, context);
  return use;
}

}  // namespace

Lowering split_attention(const Node& node, const SelectionContext& context, const Split& split) {
  const Shape& queries = context.shape(node.inputs[0]);
  const std::uint32_t slices = queries.slices();
  const std::uint32_t block = split_block(split.tiling, slices);
  const Scratch parts{
      .name = node.name + ".parts",
      .tensor = TensorDescriptor{.shape = {.b = split.parts, .h = queries.h, .w = queries.w, .c = queries.c + 4},
                                 .layout = default_layout(StorageKind::Buffer)}};

  KernelUse use = split_use(node, context, split.tiling, split.parts);
  use.resources.push_back(write_scratch("parts", 0));
  if (split.tiling.halves) {
    use.specialization.tensors["y"] = context.descriptor(node.outputs[0]);  // of its kind; not used
  }
  use.grid[2] =
      GridExtent{.context_per_group = block, .most_groups = split.parts, .least_context = split.undivided + 1};
  use.cost = estimate_cost(use, node, true, context);

  KernelUse combine = cache_use("package::attention_combine", node, context, 1);
  combine.label = node.name + ".combine";
  combine.specialization.overrides.erase("scale");
  combine.specialization.overrides.insert(
      {{"block", block},
       {"splits", split.parts},
       {"shares", std::min(split.parts, std::max(1U, lanes_for(context.facts, 256) / slices))}});
  combine.resources = {read_scratch("parts", 0), write("y", node.outputs[0]), parameters()};
  combine.grid[2] = GridExtent{.fixed = 1, .least_context = split.undivided + 1};
  add_epilogue(node, context, combine);

  Lowering lowering{.scratch = {parts}};
  if (split.undivided > 0) lowering.kernels.push_back(undivided(node, context, split, parts));
  lowering.kernels.push_back(std::move(use));
  lowering.kernels.push_back(std::move(combine));
  return lowering;
}

namespace {

bool is_for_few_tokens(const Node& node, const SelectionContext& context, bool halves) {
  if (context.facts.is_cpu || context.graph.max_tokens > few_tokens || !has_whole_slices(node, context)) return false;
  if (halves && !takes_split_halves(node, context)) return false;
  return fits(choose_split(node, context, halves).tiling, context.shape(node.inputs[0]).slices(), context.facts);
}

}  // namespace

bool is_split_halves(const Node& node, const SelectionContext& context) {
  return is_for_few_tokens(node, context, true);
}

Lowering split_in_halves(const Node& node, const SelectionContext& context) {
  return split_attention(node, context, choose_split(node, context, true));
}

bool is_split(const Node& node, const SelectionContext& context) { return is_for_few_tokens(node, context, false); }

Lowering split_over_the_cache(const Node& node, const SelectionContext& context) {
  return split_attention(node, context, choose_split(node, context, false));
}

}  // namespace driftwood::graph

#include "graph/selection/pipeline_product.h"

#include <algorithm>
#include <bit>

#include "base/checked.h"
#include "graph/cost.h"
#include "graph/lowering.h"
#include "graph/selection/convolution.h"
#include "graph/selection/linear.h"
#include "graph/selection/matrix_product.h"
#include "graph/selection/pipeline_image.h"
#include "graph/selection/rows.h"
#include "graph/selection/token_axis.h"
#include "graph/selection/workgroups.h"
#include "tensor/packed_weights.h"

namespace driftwood::graph {
namespace {

constexpr std::uint32_t depth = 64;         // columns of a step
constexpr std::uint32_t tile_rows = 128;    // of weights
constexpr std::uint32_t invocations = 384;  // two products of 128, and those that fill stages

// As many tokens as fill the device's units once or twice, whatever the number of rows; more kinds of tiles are more
// kernels to compile and to try.
constexpr std::uint32_t tile_tokens[] = {256, 208, 192, 176, 160, 144, 128, 96, 80, 64, 48};
constexpr double uncommon = 1.03;  // what one that is no power of two must gain, so that few kernels are made

constexpr std::uint32_t least_stages = 2, most_stages = 6;
constexpr std::uint32_t least_steps = 6, most_splits = 8;  // of a share; of a tile
// Microseconds on an H200: the further launch that adds shares, and writing and reading 8 bytes for each share of an
// output at 3 TB/s.
constexpr double launch_us = 3.2, share_us = 8 / 3e6;
constexpr std::uint32_t band = 16;  // rows of tiles that are done together

bool is_gated(const Node& node) { return node.as<GatedLinear>() != nullptr; }

// Whether the input lies in planes with a border: under a window of one tap that moves by one, a convolution of one
// input is a linear.
bool has_window(const Node& node) {
  const auto* const convolution = node.as<Conv2d>();
  return convolution != nullptr && (*convolution != Conv2d{} || joined_input(node) != no_value);
}

// Words of a row in a step, as kernels/pipeline_fields.wgsl copies them: of superblocks a part, with all its scales.
std::uint32_t step_words(DataType format) {
  switch (format) {
    case DataType::Q4_K: return 12;
    case DataType::Q5_K: return 20;
    case DataType::Q6_K: return 29;
    default: {
      const PackedFormat& packed = packed_format(format);
      return packed.words_per_unit * (depth / packed.unit_values());
    }
  }
}

std::uint64_t stage_bytes(std::uint32_t tokens, DataType format) {
  return std::uint64_t{4} * tile_rows * step_words(format) + std::uint64_t{2} * depth * tokens;
}

// Microseconds of a tile on an H200, by measurements of all tiles: for steps of 64 columns, and for what comes before
// and after them. Weights that are decoded take their time however few the tokens; halves that are multiplied where
// they lie take less, so that storing what they come to counts for more.
double tile_us(std::uint32_t tokens, std::uint32_t steps, bool in_memory) {
  const double share = tokens / 256.0;
  if (in_memory) {
    return steps * 0.59 * (0.35 + 0.33 * share + 0.32 * share * share) + std::max(0.0, 7.1 * share - 0.9);
  }
  return (steps + 2) * 0.8 * (tokens >= 128 ? 0.28 + 0.72 * share : 0.2 + 0.88 * share);
}

std::uint32_t row_tiles_of(std::uint32_t rows, bool is_gated) {
  return static_cast<std::uint32_t>(divide_up(rows, is_gated ? tile_rows / 2 : tile_rows));
}

PipelineExtents extents_of(const Node& node, const SelectionContext& context) {
  const Shape& y = context.shape(node.outputs[0]);
  PipelineExtents extents{.positions = positions_of(y),
                          .rows = y.c,
                          .columns = context.value(node.inputs[1]).weights.columns,
                          .is_gated = is_gated(node)};
  if (has_window(node)) extents.positions = planes_of(node, context).positions;
  // As on the matrix units of subgroups, shares are no larger than what the graph has anyway.
  const std::uint64_t largest = largest_activation(context);
  extents.most_share_bytes = largest == 0 ? 0 : largest - 1;
  return extents;
}

bool can_split(std::uint32_t splits, const PipelineExtents& extents) {
  if (splits == 1) return true;
  const std::uint64_t bytes = std::uint64_t{4} * splits * extents.positions * extents.rows;
  return !extents.is_gated && extents.columns / depth / splits >= least_steps && bytes <= extents.most_share_bytes;
}

// The stages that workgroup memory has room for; more than most_stages hide nothing more.
std::uint32_t stages_of(std::uint32_t tokens, DataType format, const gpu::DeviceFacts& facts) {
  constexpr std::uint64_t ring_bytes = 256;  // of most_stages stages; arrays begin at multiples of 128 bytes
  const std::uint64_t memory = facts.pipeline_memory - std::min(facts.pipeline_memory, ring_bytes);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(most_stages, memory / stage_bytes(tokens, format)));
}

// As was measured, else as choose_pipeline() expects.
PipelineTiling tiling_of(const Node& node, const SelectionContext& context) {
  const DataType format = context.value(node.inputs[1]).weights.format;
  const PipelineExtents extents = extents_of(node, context);
  PipelineTiling tiling = choose_pipeline(extents, format, context.facts);
  if (tiling.tokens == 0) return tiling;
  const auto stages_with = [&](std::uint32_t tokens) { return stages_of(tokens, format, context.facts); };
  tiling.tokens = context.choice("tokens", tiling.tokens, tile_tokens,
                                 [&](std::uint32_t tokens) { return stages_with(tokens) >= least_stages; });
  const std::uint32_t most_stages_of_tile = stages_with(tiling.tokens);
  tiling.stages = context.choice("stages", most_stages_of_tile, {2, 3, 4, 5, 6},
                                 [&](std::uint32_t stages) { return stages <= most_stages_of_tile; });
  tiling.splits = context.choice("splits", tiling.splits, {1, 2, 3, 4, 6, 8},
                                 [&](std::uint32_t splits) { return can_split(splits, extents); });
  return tiling;
}

bool has_pipeline(const Node& node, const SelectionContext& context) {
  const gpu::DeviceFacts& facts = context.facts;
  if (facts.pipeline_memory == 0 || facts.is_cpu || !facts.has_f16_arithmetic || !facts.has_subgroups) return false;
  if (context.options.precision == Precision::F32 || normalizes(node.operation)) return false;
  const Shape& y = context.shape(node.outputs[0]);
  if (y.d != 1 || positions_of(y) < least_matrix_positions) return false;
  // The kernel knows how words lie: four of a row together.
  const WeightsDescriptor packed = weights_descriptor(context, node.inputs[1]);
  if (pipeline_format(packed.format) == 0 || packed.columns % depth != 0 || packed.word_run != 4) return false;
  if (packed.row_group != (packed.format == DataType::F16 ? 64 : 32)) return false;
  // Four invocations share scales: those of formats with minima and of superblocks.
  const bool shares_scales = packed.format == DataType::Q4_1 || info(packed.format).block_length == 256;
  if (shares_scales && facts.subgroup_size != 32) return false;
  // As on the matrix units of subgroups, halves are multiplied where they are stored, or a prologue makes them.
  const ValueId x2 = joined_input(node);
  const auto is_half = [&](ValueId id) { return context.value(id).data_type == DataType::F16; };
  return !node.prologue.empty() || (is_half(node.inputs[0]) && (x2 == no_value || is_half(x2)));
}

bool takes_pipeline(const Node& node, const SelectionContext& context) {
  if (!has_pipeline(node, context) || joined_input(node) != no_value) return false;
  const WeightsSource& weights = context.value(node.inputs[1]).weights;
  if (weights.columns != context.shape(node.inputs[0]).c) return false;
  if (is_gated(node) && context.value(node.inputs[2]).weights.format != weights.format) return false;
  return tiling_of(node, context).tokens != 0;
}

bool takes_convolution(const Node& node, const SelectionContext& context) {
  return has_pipeline(node, context) && fits_planes(node, context) && tiling_of(node, context).tokens != 0;
}

// Where weights are decoded to registers, even columns come first (kernels/pipeline_tile.wgsl), which no layout has.
bool is_even_first(const Node& node, const SelectionContext& context) {
  return context.value(node.inputs[1]).weights.format != DataType::F16;
}

/// Lays the tokens out as the tiles take them.
KernelUse packed_input(const Node& node, const SelectionContext& context, std::uint32_t scratch, std::uint32_t tokens) {
  // Whole tiles of any number.
  const std::uint32_t lanes = tokens % 32 == 0 ? 32 : 16, groups = 128 / lanes;
  KernelUse use{.module_path = "package::pipeline_input", .label = node.name + ".input"};
  const Shape& x = context.shape(node.inputs[0]);
  use.specialization.overrides = {{"tile_tokens", tokens},
                                  {"lanes", lanes},
                                  {"groups", groups},
                                  {"columns", x.c},
                                  {"even_first", is_even_first(node, context)},
                                  {"rows_per_token", token_rows(node, context)}};
  use.resources = {read("x", node.inputs[0]), write_scratch("packed", scratch), parameters()};
  add_prologue(node, context, use);
  GridExtent rows = {.fixed = static_cast<std::uint32_t>(divide_up(positions_of(x), tokens)) * (tokens / lanes)};
  if (const std::uint32_t of_token = token_rows(node, context); of_token > 0) {
    rows = {.fixed = tokens / lanes, .rows_per_group = tokens, .rows_per_token = of_token};
  }
  use.grid = {rows, groups_of(x.c / 16, groups)};
  use.cost = estimate_cost(use, node, false, context);
  return use;
}

}  // namespace

std::span<const std::uint32_t> pipeline_tokens() { return tile_tokens; }

std::uint32_t pipeline_format(DataType format) {
  switch (format) {
    case DataType::Q4_0:
    case DataType::Q4_1:
    case DataType::Q8_0:
    case DataType::I8C:
    case DataType::I4C: return byte_format(format);
    case DataType::Q4_K:
    case DataType::Q5_K:
    case DataType::Q6_K: return half_format(format);
    case DataType::F16: return 11;
    default: return 0;
  }
}

PipelineTiling choose_pipeline(const PipelineExtents& extents, DataType format, const gpu::DeviceFacts& facts) {
  PipelineTiling best;
  if (invocations > facts.max_workgroup_size || invocations > facts.max_workgroup_extent[0]) return best;
  const std::uint32_t steps = extents.columns / depth;
  const std::uint32_t row_tiles = row_tiles_of(extents.rows, extents.is_gated);
  const bool in_memory = format == DataType::F16 && !extents.is_gated;  // linear_pipeline.wgsl's
  double least = 0;
  for (const std::uint32_t tokens : tile_tokens) {
    const std::uint32_t stages = stages_of(tokens, format, facts);
    if (stages < least_stages) continue;
    const std::uint64_t groups = divide_up(extents.positions, tokens) * row_tiles;
    for (std::uint32_t splits = 1; splits <= most_splits; ++splits) {
      if (!can_split(splits, extents)) continue;
      const auto on_a_unit = static_cast<double>(divide_up(groups * splits, facts.compute_units));
      double cost = on_a_unit * tile_us(tokens, static_cast<std::uint32_t>(divide_up(steps, splits)), in_memory);
      if (splits > 1) cost += launch_us + share_us * extents.positions * extents.rows * splits;
      if (!std::has_single_bit(tokens)) cost *= uncommon;
      if (best.tokens != 0 && cost >= least) continue;
      best = {.tokens = tokens, .stages = stages, .splits = splits};
      least = cost;
    }
  }
  return best;
}

Lowering pipeline_product(const Node& node, const SelectionContext& context, const PipelineTiling& tiling) {
  const ValueId y = node.outputs[0];
  const std::uint32_t tokens = tiling.tokens;
  const PipelineExtents extents = extents_of(node, context);
  const bool is_image = has_window(node);
  const bool is_tiled = !is_image && node.prologue.empty() && !is_even_first(node, context) &&
                        context.descriptor(node.inputs[0]).layout.tile == tokens;
  Lowering lowering;
  KernelUse use{.module_path = "package::linear_pipeline", .label = node.name};
  auto& overrides = use.specialization.overrides;
  if (is_image) {
    const PlanesOfImage planes = planes_of(node, context);
    const std::uint32_t channels = context.graph.joined_shape(node).c;
    overrides = {{"plane", planes.plane(tokens)},
                 {"window_w", convolution_of(node).window_w},
                 {"row_positions", planes.row_width * planes.batch},
                 {"batch", planes.batch},
                 {"channel_steps", channels / depth}};
    lowering.scratch.push_back({.name = "input", .bytes = std::uint64_t{2} * channels * planes.plane(tokens)});
    lowering.kernels.push_back(planes_input(node, context, 0, tokens));
  } else if (!is_tiled) {
    const std::uint64_t rows = divide_up(extents.positions, tokens) * tokens;
    lowering.scratch.push_back({.name = "input", .bytes = rows * 2 * extents.columns});
    lowering.kernels.push_back(packed_input(node, context, 0, tokens));
  }

  const WeightsDescriptor weights = weights_descriptor(context, node.inputs[1]);
  overrides.insert({{"tile_tokens", tokens},
                    {"stages", tiling.stages},
                    {"splits", tiling.splits},
                    {"weights_kind", pipeline_format(weights.format)},
                    {"weight_rows", weights.row_group},
                    {"gated", extents.is_gated},
                    {"band", band},
                    {"separate", gpu::runs_pipeline(context.facts)},
                    {"rows_per_token", token_rows(node, context)}});
  ResourceUse input = is_tiled ? read("packed", node.inputs[0]) : read_scratch("packed", 0);
  input.is_plain = is_tiled;
  use.resources = {std::move(input), parameters(), read("w", node.inputs[1])};
  // The second matrix is read where there is one; else it is of the first one's kind.
  use.specialization.weights = {{"w", weights},
                                {"up", extents.is_gated ? weights_descriptor(context, node.inputs[2]) : weights}};
  if (extents.is_gated) {
    use.resources.push_back(read("up", node.inputs[2]));
    add_gate(node, context, use);
  }
  add_row_scales(weights.format, false, use);
  // A workgroup a unit, each of which does as many tiles as come to it.
  const std::uint64_t groups =
      divide_up(extents.positions, tokens) * row_tiles_of(extents.rows, extents.is_gated) * tiling.splits;
  use.grid = {
      GridExtent{.fixed = static_cast<std::uint32_t>(std::min<std::uint64_t>(groups, context.facts.compute_units))}};
  const TensorDescriptor& stored = context.descriptor(y);
  if (tiling.splits == 1) {
    use.specialization.tensors["shares"] = stored;  // never written
    use.resources.push_back(write("y", y));
    add_epilogue(node, context, use);
    use.cost = estimate_cost(use, node, true, context);
    lowering.kernels.push_back(std::move(use));
    return lowering;
  }
  const auto scratch = static_cast<std::uint32_t>(lowering.scratch.size());
  const TensorDescriptor shares = shares_of(node, context, tiling.splits);
  lowering.scratch.push_back({.name = "shares", .tensor = shares});
  use.specialization.tensors = {{"shares", shares}, {"y", stored}};  // y has the extents
  use.resources.push_back(write_scratch("shares", scratch));
  use.cost = estimate_cost(use, node, true, context);
  lowering.kernels.push_back(std::move(use));
  lowering.kernels.push_back(sum_of_shares(node, context, scratch, token_rows(node, context)));
  return lowering;
}

namespace {

Lowering through_pipeline(const Node& node, const SelectionContext& context) {
  return pipeline_product(node, context, tiling_of(node, context));
}

constexpr KernelRow rows[] = {{Conv2d::name, "conv-pipeline", takes_convolution, through_pipeline},
                              {Linear::name, "linear-pipeline", takes_pipeline, through_pipeline},
                              {GatedLinear::name, "gated-linear-pipeline", takes_pipeline, through_pipeline}};

}  // namespace

std::span<const KernelRow> pipeline_kernels() { return rows; }

std::uint32_t tile_of_input(const Node& node, const KernelRow& row, const SelectionContext& context) {
  if (row.instantiate != through_pipeline || has_window(node) || !node.prologue.empty() || is_even_first(node, context))
    return 0;
  return tiling_of(node, context).tokens;
}

}  // namespace driftwood::graph

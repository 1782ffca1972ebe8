#include "graph/selection/pipeline_product.h"

#include <algorithm>
#include <iterator>

#include "base/checked.h"
#include "graph/cost.h"
#include "graph/lowering.h"
#include "graph/selection/convolution.h"
#include "graph/selection/linear.h"
#include "graph/selection/matrix_product.h"
#include "graph/selection/rows.h"
#include "graph/selection/token_axis.h"
#include "graph/selection/workgroups.h"
#include "tensor/packed_weights.h"

namespace driftwood::graph {
namespace {

constexpr std::uint32_t depth = 64;         // columns of a step
constexpr std::uint32_t tile_rows = 128;    // of weights
constexpr std::uint32_t invocations = 384;  // two products of 128, and those that fill stages

// A narrower tile decodes as many weights for fewer products: 4096 x 1024 x 4096 q4_0 took 50 us in tiles of 256 tokens
// on an H200 and 63 in those of 128, which are twice as many.
constexpr PipelineTile tiles[] = {
    {.tokens = 256, .step_cost = 1.0}, {.tokens = 128, .step_cost = 0.64}, {.tokens = 64, .step_cost = 0.42}};

constexpr std::uint32_t least_stages = 2, most_stages = 6;
constexpr std::uint32_t band = 16;  // rows of tiles that are done together

bool is_gated(const Node& node) { return node.as<GatedLinear>() != nullptr; }

std::uint64_t stage_bytes(const PipelineTile& tile, DataType format) {
  const PackedFormat& packed = packed_format(format);
  const std::uint64_t words = std::uint64_t{packed.words_per_unit} * (depth / packed.unit_values());
  return 4 * 4 * words * 32 + std::uint64_t{2} * depth * tile.tokens;
}

std::uint32_t row_tiles_of(const Node& node, const SelectionContext& context) {
  const std::uint32_t rows = context.shape(node.outputs[0]).c;
  return static_cast<std::uint32_t>(divide_up(rows, is_gated(node) ? tile_rows / 2 : tile_rows));
}

// The stages that workgroup memory has room for; more than most_stages hide nothing more.
std::uint32_t stages_of(const PipelineTile& tile, DataType format, const gpu::DeviceFacts& facts) {
  constexpr std::uint64_t ring_bytes = 256;  // of most_stages stages; arrays begin at multiples of 128 bytes
  const std::uint64_t memory = facts.pipeline_memory - std::min(facts.pipeline_memory, ring_bytes);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(most_stages, memory / stage_bytes(tile, format)));
}

// As was measured, else as choose_pipeline() expects.
PipelineTiling tiling_of(const Node& node, const SelectionContext& context) {
  const DataType format = context.value(node.inputs[1]).weights.format;
  PipelineTiling tiling =
      choose_pipeline(positions_of(context.shape(node.outputs[0])), row_tiles_of(node, context), format, context.facts);
  if (tiling.tile == nullptr) return tiling;
  const auto stages_with = [&](std::uint32_t tokens) {
    const auto* const tile = std::ranges::find(tiles, tokens, &PipelineTile::tokens);
    return tile == std::end(tiles) ? 0 : stages_of(*tile, format, context.facts);
  };
  const std::uint32_t tokens = context.choice("tokens", tiling.tile->tokens, {64, 128, 256},
                                              [&](std::uint32_t count) { return stages_with(count) >= least_stages; });
  tiling.tile = std::ranges::find(tiles, tokens, &PipelineTile::tokens);
  tiling.stages = context.choice("stages", stages_with(tokens), {2, 3, 4, 5, 6},
                                 [&](std::uint32_t stages) { return stages <= stages_with(tokens); });
  return tiling;
}

bool takes_pipeline(const Node& node, const SelectionContext& context) {
  const gpu::DeviceFacts& facts = context.facts;
  if (facts.pipeline_memory == 0 || facts.is_cpu || !facts.has_f16_arithmetic || !facts.has_subgroups) return false;
  if (context.options.precision == Precision::F32 || normalizes(node.operation)) return false;
  if (context.shape(node.outputs[0]).d != 1 || joined_input(node) != no_value) return false;
  const WeightsSource& weights = context.value(node.inputs[1]).weights;
  const bool is_decoded = pipeline_format(weights.format) != 0 && weights.columns % depth == 0 &&
                          weights.columns == context.shape(node.inputs[0]).c;
  if (!is_decoded || (is_gated(node) && context.value(node.inputs[2]).weights.format != weights.format)) return false;
  // The kernel knows how words lie: four of a row together.
  const WeightsDescriptor packed = weights_descriptor(context, node.inputs[1]);
  if (packed.row_group != (packed.format == DataType::F16 ? 64 : 32) || packed.word_run != 4) return false;
  if (positions_of(context.shape(node.outputs[0])) < least_matrix_positions) return false;
  // As on the matrix units of subgroups, halves are multiplied where they are stored, or a prologue makes them.
  const bool has_halves = context.value(node.inputs[0]).data_type == DataType::F16;
  return (has_halves || !node.prologue.empty()) && tiling_of(node, context).tile != nullptr;
}

/// Lays the tokens out as the tiles take them.
KernelUse packed_input(const Node& node, const SelectionContext& context, std::uint32_t scratch, std::uint32_t tokens) {
  constexpr std::uint32_t lanes = 32, groups = 4;
  KernelUse use{.module_path = "package::pipeline_input", .label = node.name + ".input"};
  const Shape& x = context.shape(node.inputs[0]);
  use.specialization.overrides = {{"tile_tokens", tokens},
                                  {"lanes", lanes},
                                  {"groups", groups},
                                  {"columns", x.c},
                                  {"even_first", context.value(node.inputs[1]).weights.format != DataType::F16},
                                  {"rows_per_token", token_rows(node, context)}};
  use.resources = {read("x", node.inputs[0]), write_scratch("packed", scratch), parameters()};
  add_prologue(node, context, use);
  // Whole tiles.
  GridExtent rows = {.fixed = static_cast<std::uint32_t>(divide_up(positions_of(x), tokens)) * (tokens / lanes)};
  if (const std::uint32_t of_token = token_rows(node, context); of_token > 0) {
    rows = {.fixed = tokens / lanes, .rows_per_group = tokens, .rows_per_token = of_token};
  }
  use.grid = {rows, groups_of(x.c / 16, groups)};
  use.cost = estimate_cost(use, node, false, context);
  return use;
}

}  // namespace

std::span<const PipelineTile> pipeline_tiles() { return tiles; }

std::uint32_t pipeline_format(DataType format) {
  switch (format) {
    case DataType::Q4_0: return 1;
    case DataType::Q8_0: return 2;
    case DataType::F16: return 3;
    default: return 0;
  }
}

PipelineTiling choose_pipeline(std::uint32_t positions, std::uint32_t row_tiles, DataType format,
                               const gpu::DeviceFacts& facts) {
  PipelineTiling best;
  if (invocations > facts.max_workgroup_size || invocations > facts.max_workgroup_extent[0]) return best;
  double least = 0;
  for (const PipelineTile& tile : tiles) {
    const std::uint32_t stages = stages_of(tile, format, facts);
    if (stages < least_stages) continue;
    const std::uint64_t groups = divide_up(positions, tile.tokens) * row_tiles;
    const double cost = static_cast<double>(divide_up(groups, facts.compute_units)) * tile.step_cost;
    if (best.tile != nullptr && cost >= least) continue;
    best = {.tile = &tile, .stages = stages};
    least = cost;
  }
  return best;
}

Lowering pipeline_product(const Node& node, const SelectionContext& context, const PipelineTiling& tiling) {
  const ValueId y = node.outputs[0];
  const std::uint32_t tokens = tiling.tile->tokens;
  const std::uint64_t positions = positions_of(context.shape(y));
  Lowering lowering;
  lowering.scratch.push_back(
      {.name = "input", .bytes = divide_up(positions, tokens) * tokens * 2 * context.shape(node.inputs[0]).c});
  lowering.kernels.push_back(packed_input(node, context, 0, tokens));

  KernelUse use{.module_path = "package::linear_pipeline", .label = node.name};
  use.specialization.overrides = {{"tile_tokens", tokens},
                                  {"stages", tiling.stages},
                                  {"weights_kind", pipeline_format(context.value(node.inputs[1]).weights.format)},
                                  {"weight_rows", weights_descriptor(context, node.inputs[1]).row_group},
                                  {"gated", is_gated(node)},
                                  {"band", band},
                                  {"separate", gpu::runs_pipeline(context.facts)},
                                  {"rows_per_token", token_rows(node, context)}};
  use.resources = {read_scratch("packed", 0), write("y", y), parameters()};
  // The second matrix is read where there is one; else it is of the first one's kind.
  use.specialization.weights = {{"w", weights_descriptor(context, node.inputs[1])},
                                {"up", weights_descriptor(context, node.inputs[is_gated(node) ? 2 : 1])}};
  use.resources.push_back(read("w", node.inputs[1]));
  if (is_gated(node)) {
    use.resources.push_back(read("up", node.inputs[2]));
    add_gate(node, context, use);
  }
  add_epilogue(node, context, use);
  // A workgroup a unit, each of which does as many tiles as come to it.
  const std::uint64_t groups = divide_up(positions, tokens) * row_tiles_of(node, context);
  use.grid = {
      GridExtent{.fixed = static_cast<std::uint32_t>(std::min<std::uint64_t>(groups, context.facts.compute_units))}};
  use.cost = estimate_cost(use, node, true, context);
  lowering.kernels.push_back(std::move(use));
  return lowering;
}

namespace {

Lowering through_pipeline(const Node& node, const SelectionContext& context) {
  return pipeline_product(node, context, tiling_of(node, context));
}

constexpr KernelRow rows[] = {{Linear::name, "linear-pipeline", takes_pipeline, through_pipeline},
                              {GatedLinear::name, "gated-linear-pipeline", takes_pipeline, through_pipeline}};

}  // namespace

std::span<const KernelRow> pipeline_kernels() { return rows; }

}  // namespace driftwood::graph

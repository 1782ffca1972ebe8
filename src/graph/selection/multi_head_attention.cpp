// Attention without a cache, and without the matrix of scores in memory.
#include <algorithm>
#include <numbers>

#include "graph/selection/attention_tiles.h"
#include "graph/selection/pipeline_attention.h"
#include "graph/selection/rows.h"
#include "graph/selection/token_axis.h"
#include "graph/selection/workgroups.h"

namespace driftwood::graph {
namespace {

// Positions that count in a run, for each token; 0: all of them.
std::uint32_t positions_per_token(const SelectionContext& context, ValueId id) {
  const Shape& shape = context.shape(id);
  return context.graph.max_tokens > 1 && context.per_token(id) ? shape.w / context.graph.max_tokens : 0;
}

// Where there is a token axis, the positions that are active come first.
bool has_ordered_positions(const Node& node, const SelectionContext& context) {
  const auto is_ordered = [&](ValueId id) {
    return positions_per_token(context, id) == 0 || (context.shape(id).h == 1 && context.shape(id).b == 1);
  };
  return is_ordered(node.inputs[0]) && is_ordered(node.inputs[1]);
}

std::uint32_t slices_of_head(const Node& node, const SelectionContext& context) {
  return context.shape(node.inputs[0]).c / node.as<MultiHeadAttention>()->heads / 4;
}

bool is_for_cpus(const Node& node, const SelectionContext& context) {
  return context.facts.is_cpu && has_ordered_positions(node, context);
}

// What all forms have in common: a workgroup takes `queries` queries of one head of one image. What it writes is not
// bound yet.
KernelUse attention_use(std::string module_path, const Node& node, const SelectionContext& context,
                        std::uint32_t queries) {
  const auto& attention = *node.as<MultiHeadAttention>();
  const Shape& q = context.shape(node.inputs[0]);
  const std::uint32_t query_rows = positions_per_token(context, node.inputs[0]);
  KernelUse use{.module_path = std::move(module_path), .label = node.name};
  use.specialization.overrides = {{"cached", false},
                                  {"ring", false},
                                  {"slices", slices_of_head(node, context)},
                                  {"scale", attention.scale * std::numbers::log2e_v<float>},
                                  {"causal", attention.causal},
                                  {"query_rows_per_token", query_rows},
                                  {"key_rows_per_token", positions_per_token(context, node.inputs[1])}};
  use.resources = {read("q", node.inputs[0]), read("k_cache", node.inputs[1]), read("v_cache", node.inputs[2]),
                   parameters()};
  const GridExtent tiles = query_rows > 0 ? GridExtent{.rows_per_group = queries, .rows_per_token = query_rows}
                                          : groups_of(std::uint64_t{q.h} * q.w, queries);
  use.grid = {tiles, GridExtent{.fixed = attention.heads}, GridExtent{.fixed = q.b}};
  return use;
}

KernelUse whole_use(std::string module_path, const Node& node, const SelectionContext& context, std::uint32_t queries) {
  KernelUse use = attention_use(std::move(module_path), node, context, queries);
  use.resources.push_back(write("y", node.outputs[0]));
  add_epilogue(node, context, use);
  return use;
}

Lowering wide(const Node& node, const SelectionContext& context) {
  return {.kernels = {whole_use("package::attention_wide", node, context, 16)}};
}

bool is_for_gpus(const Node& node, const SelectionContext& context) {
  const std::uint32_t slices = slices_of_head(node, context);
  return has_ordered_positions(node, context) &&
         attention_tile(context.facts, slices).bytes(slices) <= context.facts.local_memory;
}

Lowering tiled(const Node& node, const SelectionContext& context) {
  const std::uint32_t slices = slices_of_head(node, context);
  const AttentionTile tile = tuned_attention_tile(context, slices);
  KernelUse use = whole_use("package::attention_tile", node, context, 4 * tile.groups);
  use.specialization.overrides.insert(
      {{"columns", tile.columns}, {"groups", tile.groups}, {"part", tile.part}, {"values", tile.values}});
  return {.kernels = {std::move(use)}};
}

bool is_for_matrix_units(const Node& node, const SelectionContext& context) {
  const gpu::DeviceFacts& facts = context.facts;
  if (!facts.has_matrices || facts.is_cpu || context.options.precision == Precision::F32) return false;
  if (facts.max_workgroup_size < 128 || facts.max_workgroup_extent[0] < 128) return false;
  for (const ValueId id : node.inputs) {
    if (context.value(id).data_type != DataType::F16) return false;
    if (context.descriptor(id).storage != StorageKind::Buffer) return false;
  }
  // Queries and sums of larger heads do not fit into the registers of 16 rows.
  constexpr std::uint32_t most_slices = 48;
  const std::uint32_t slices = slices_of_head(node, context);
  return slices <= most_slices && attention_matrix_keys(facts, slices) > 0 && has_ordered_positions(node, context);
}

Lowering on_matrix_units(const Node& node, const SelectionContext& context) {
  KernelUse use = whole_use("package::attention_matrix", node, context, 64);
  use.specialization.overrides["keys"] = tuned_attention_matrix_keys(context, slices_of_head(node, context));
  return {.kernels = {std::move(use)}};
}

AttendedKeys attended(const Node& node, const SelectionContext& context) {
  const Shape& keys = context.shape(node.inputs[1]);
  return {.slices = slices_of_head(node, context),
          .heads = node.as<MultiHeadAttention>()->heads * keys.b,
          .most = keys.h * keys.w};
}

// Fewer are not worth a kernel that lays keys out. On an H200, with attention-matrix and through the pipeline: 64x64
// positions of 8 heads of 40, twice, 420 and 176 us, to 77 keys 20 and 18; 32x32 of 8 of 80 45 and 25, to 77 keys 9 and
// 13; 16x16 of 8 of 160 19 and 18.
constexpr std::uint32_t least_keys = 64;
constexpr std::uint64_t least_pairs = 1 << 14;  // of queries and keys, for each compute unit

bool is_for_pipeline(const Node& node, const SelectionContext& context) {
  // Scores are scaled after their largest is found.
  if (node.as<MultiHeadAttention>()->scale <= 0 || !has_ordered_positions(node, context)) return false;
  const AttendedKeys keys = attended(node, context);
  const Shape& q = context.shape(node.inputs[0]);
  const std::uint64_t pairs = std::uint64_t{q.h} * q.w * keys.most * keys.heads;
  if (keys.most < least_keys || pairs < least_pairs * std::max(1U, context.facts.compute_units)) return false;
  return takes_pipeline_attention(node, context, keys);
}

Lowering by_pipeline(const Node& node, const SelectionContext& context) {
  const AttendedKeys keys = attended(node, context);
  const PipelineAttention tiling = tuned_pipeline_attention(context, keys);
  KernelUse input = attention_use("package::attention_input", node, context, 1);
  const std::uint32_t key_rows = positions_per_token(context, node.inputs[1]);
  input.grid[0] = key_rows > 0 ? GridExtent{.rows_per_group = tiling.keys, .rows_per_token = key_rows}
                               : groups_of(keys.most, tiling.keys);
  return through_pipeline(node, context, tiling, keys, std::move(input),
                          whole_use("package::attention_pipeline", node, context, tiling.queries()));
}

constexpr KernelRow rows[] = {{MultiHeadAttention::name, "attention-wide", is_for_cpus, wide},
                              {MultiHeadAttention::name, "attention-pipeline", is_for_pipeline, by_pipeline},
                              {MultiHeadAttention::name, "attention-matrix", is_for_matrix_units, on_matrix_units},
                              {MultiHeadAttention::name, "attention-tile", is_for_gpus, tiled}};

}  // namespace

std::span<const KernelRow> multi_head_attention_kernels() { return rows; }

}  // namespace driftwood::graph

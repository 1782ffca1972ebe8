// Attention without a cache, and without the matrix of scores in memory.
#include <algorithm>
#include <numbers>

#include "base/checked.h"
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

// What all forms have in common: a workgroup takes `queries` queries of one head of one image.
KernelUse attention_use(std::string module_path, const Node& node, const SelectionContext& context,
                        std::uint32_t queries) {
  const auto& attention = *node.as<MultiHeadAttention>();
  const Shape& q = context.shape(node.inputs[0]);
  const std::uint32_t query_rows = positions_per_token(context, node.inputs[0]);
  KernelUse use{.module_path = std::move(module_path), .label = node.name};
  use.specialization.overrides = {{"slices", slices_of_head(node, context)},
                                  {"scale", attention.scale * std::numbers::log2e_v<float>},
                                  {"causal", attention.causal},
                                  {"query_rows_per_token", query_rows},
                                  {"key_rows_per_token", positions_per_token(context, node.inputs[1])}};
  use.resources = {read("q", node.inputs[0]), read("k", node.inputs[1]), read("v", node.inputs[2]),
                   write("y", node.outputs[0]), parameters()};
  const GridExtent tiles = query_rows > 0 ? GridExtent{.rows_per_group = queries, .rows_per_token = query_rows}
                                          : groups_of(std::uint64_t{q.h} * q.w, queries);
  use.grid = {tiles, GridExtent{.fixed = attention.heads}, GridExtent{.fixed = q.b}};
  add_epilogue(node, context, use);
  return use;
}

Lowering wide(const Node& node, const SelectionContext& context) {
  return {.kernels = {attention_use("package::attention_wide", node, context, 16)}};
}

// How attention_tile.wgsl is cut.
struct Tile {
  std::uint32_t columns, groups, part, values;

  // Bytes of workgroup memory, for heads of so many slices.
  std::uint64_t bytes(std::uint32_t slices) const {
    const std::uint64_t stride = part | 1;
    return 16 * (4 * groups * stride + std::max<std::uint64_t>(4 * columns * stride, std::uint64_t{values} * slices) +
                 4 * columns * (groups + 1) + columns * groups);
  }
};

// The largest tile that fits: 64 queries at best, with whole heads in workgroup memory.
Tile tile_for(const gpu::DeviceFacts& facts, std::uint32_t slices) {
  const std::uint32_t lanes = lanes_for(facts, 256);
  // Up to four slices of each sum an invocation, so that the sixteen sums stay in registers.
  const std::uint32_t rounds = static_cast<std::uint32_t>(divide_up(slices, slices > 64 ? 32 : 16));
  Tile tile{.columns = std::max<std::uint32_t>(static_cast<std::uint32_t>(divide_up(slices, rounds)), 4),
            .groups = 16,
            .part = slices,
            .values = 0};
  while (tile.groups > 4 && tile.groups * tile.columns > lanes) tile.groups /= 2;
  tile.columns = std::min(tile.columns, lanes / tile.groups);
  tile.values = 4 * tile.columns;
  // Narrower parts before fewer queries, but not below four slices.
  const auto fits = [&] { return tile.bytes(slices) <= facts.local_memory; };
  while (!fits() && tile.values > 8) tile.values = static_cast<std::uint32_t>(divide_up(tile.values, 2));
  while (!fits() && tile.part > 4) tile.part = static_cast<std::uint32_t>(divide_up(tile.part, 2));
  while (!fits() && tile.groups > 1) tile.groups /= 2;
  while (!fits() && tile.values > 1) tile.values /= 2;
  return tile;
}

bool is_for_gpus(const Node& node, const SelectionContext& context) {
  const std::uint32_t slices = slices_of_head(node, context);
  return has_ordered_positions(node, context) &&
         tile_for(context.facts, slices).bytes(slices) <= context.facts.local_memory;
}

Lowering tiled(const Node& node, const SelectionContext& context) {
  const std::uint32_t slices = slices_of_head(node, context);
  const Tile tile = tile_for(context.facts, slices);
  KernelUse use = attention_use("package::attention_tile", node, context, 4 * tile.groups);
  use.specialization.overrides.insert(
      {{"columns", tile.columns}, {"groups", tile.groups}, {"part", tile.part}, {"values", tile.values}});
  return {.kernels = {std::move(use)}};
}

// Keys of a step of attention_matrix.wgsl: the most that fit, or 0 where none do.
std::uint32_t matrix_keys(const gpu::DeviceFacts& facts, std::uint32_t slices) {
  constexpr std::uint32_t queries = 64;
  const std::uint64_t pitch = 2 * divide_up(slices, 4) + 1;  // in 16 bytes
  for (const std::uint32_t keys : {64U, 32U, 16U}) {
    const std::uint64_t bytes =
        16 * std::max(2 * keys, queries) * pitch + std::uint64_t{6} * queries * (keys + 8) + 4 * queries + 16;
    if (bytes <= facts.local_memory) return keys;
  }
  return 0;
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
  return slices <= most_slices && matrix_keys(facts, slices) > 0 && has_ordered_positions(node, context);
}

Lowering on_matrix_units(const Node& node, const SelectionContext& context) {
  KernelUse use = attention_use("package::attention_matrix", node, context, 64);
  use.specialization.overrides["keys"] = matrix_keys(context.facts, slices_of_head(node, context));
  return {.kernels = {std::move(use)}};
}

constexpr KernelRow rows[] = {{MultiHeadAttention::name, "attention-wide", is_for_cpus, wide},
                              {MultiHeadAttention::name, "attention-matrix", is_for_matrix_units, on_matrix_units},
                              {MultiHeadAttention::name, "attention-tile", is_for_gpus, tiled}};

}  // namespace

std::span<const KernelRow> multi_head_attention_kernels() { return rows; }

}  // namespace driftwood::graph

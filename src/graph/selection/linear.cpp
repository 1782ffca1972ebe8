#include "graph/selection/linear.h"

#include "base/checked.h"
#include "graph/selection/convolution.h"
#include "graph/selection/rows.h"
#include "graph/selection/token_axis.h"
#include "graph/selection/workgroups.h"

namespace driftwood::graph {

WeightsDescriptor weights_descriptor(const SelectionContext& context, ValueId weights) {
  const WeightsSource& source = context.value(weights).weights;
  return {.format = source.format,
          .rows = source.rows(),
          .columns = source.columns,
          .row_group = weights_row_group(context.facts)};
}

namespace {

// Tokens that share each decoded weight.
std::uint32_t wide_tile(const SelectionContext& context, ValueId x) {
  // 16 sums of sixteen rows fill the 32 vector registers of AVX-512 and still gained over 8 and 12 where measured
  // (docs/performance.md).
  return context.per_token(x) ? std::min<std::uint32_t>(16, context.shape(x).w) : 1;
}

struct RowTiling {
  std::uint32_t lanes, splits, tile;
};

RowTiling row_tiling(const SelectionContext& context, ValueId x, const WeightsDescriptor& weights) {
  RowTiling tiling{.lanes = weights.row_group, .splits = 1, .tile = 1};
  if (context.per_token(x)) tiling.tile = std::min<std::uint32_t>(8, context.shape(x).w);
  // A row's columns are shared by as many invocations as make a group of 256, or of 128 where each has several
  // tokens to do; more would leave each without a whole chunk.
  const auto chunks = static_cast<std::uint32_t>(divide_up(weights.columns, 32));
  const std::uint32_t threads = std::min<std::uint32_t>(tiling.tile > 1 ? 128 : 256, context.facts.max_workgroup_size);
  while (tiling.splits * 2 * tiling.lanes <= threads && tiling.splits * 2 <= chunks &&
         tiling.splits * 2 <= context.facts.max_workgroup_extent[1])
    tiling.splits *= 2;
  // Partial sums pass through workgroup memory.
  while (tiling.tile > 1 && std::uint64_t{4} * tiling.tile * tiling.splits * tiling.lanes > context.facts.local_memory)
    tiling.tile /= 2;
  return tiling;
}

Grid matrix_grid(const SelectionContext& context, ValueId x, const WeightsDescriptor& weights,
                 std::uint32_t rows_of_group, std::uint32_t tile) {
  return {groups_of(weights.rows, rows_of_group), groups_of_rows(context, x, tile)};
}

}  // namespace

bool takes_wide_rows(const Node& node, const SelectionContext& context) {
  return context.facts.is_cpu && has_only_rows(node, context);
}

Lowering in_wide_rows(KernelUse use, const Node& node, const SelectionContext& context, const std::string& weights) {
  const ValueId x = node.inputs[0];
  const std::uint32_t tile = wide_tile(context, x);
  use.specialization.overrides = {{"tile", tile}, {"rows_per_token", rows_per_token(context, x)}};
  use.grid = matrix_grid(context, x, use.specialization.weights.at(weights), 16, tile);
  return {.kernels = {std::move(use)}};
}

Lowering in_lanes(KernelUse use, const Node& node, const SelectionContext& context, const std::string& weights) {
  const ValueId x = node.inputs[0];
  const WeightsDescriptor& matrix = use.specialization.weights.at(weights);
  const RowTiling tiling = row_tiling(context, x, matrix);
  use.specialization.overrides = {{"lanes", tiling.lanes},
                                  {"splits", tiling.splits},
                                  {"tile", tiling.tile},
                                  {"rows_per_token", rows_per_token(context, x)}};
  use.grid = matrix_grid(context, x, matrix, tiling.lanes, tiling.tile);
  return {.kernels = {std::move(use)}};
}

KernelUse matrix_use(const Node& node, const SelectionContext& context, std::string module_path) {
  KernelUse use{.module_path = std::move(module_path), .label = node.name};
  use.specialization.weights = {{"w", weights_descriptor(context, node.inputs[1])}};
  use.resources = {read("x", node.inputs[0]), read("w", node.inputs[1]), write("y", node.outputs[0]), parameters()};
  add_prologue(node, context, use);
  add_epilogue(node, context, use);
  return use;
}

namespace {

Lowering linear_wide(const Node& node, const SelectionContext& context) {
  return in_wide_rows(matrix_use(node, context, "package::linear_wide"), node, context, "w");
}

Lowering linear_rows(const Node& node, const SelectionContext& context) {
  return in_lanes(matrix_use(node, context, "package::linear_rows"), node, context, "w");
}

Lowering linear_image_wide(const Node& node, const SelectionContext& context) {
  return in_wide_patches(matrix_use(node, context, "package::conv_wide"), node, context);
}

Lowering linear_tiled(const Node& node, const SelectionContext& context) {
  return in_tiles(matrix_use(node, context, "package::conv_tiled"), node, context);
}

constexpr KernelRow rows[] = {{Linear::name, "linear-wide", takes_wide_rows, linear_wide},
                              {Linear::name, "linear-image-wide", takes_wide_image, linear_image_wide},
                              {Linear::name, "linear-tiled", takes_tiles, linear_tiled},
                              {Linear::name, "linear-rows", has_only_rows, linear_rows}};

}  // namespace

std::span<const KernelRow> linear_kernels() { return rows; }

}  // namespace driftwood::graph

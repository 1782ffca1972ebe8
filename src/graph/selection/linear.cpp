#include "graph/selection/linear.h"

#include "base/checked.h"
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

std::uint32_t wide_tile(const SelectionContext& context, ValueId x) {
  // 16 sums of sixteen rows fill the 32 vector registers of AVX-512 and still gained over 8 and 12 where measured
  // (docs/performance.md).
  return context.per_token(x) ? std::min<std::uint32_t>(16, context.shape(x).w) : 1;
}

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
  const auto groups = static_cast<std::uint32_t>(divide_up(weights.rows, rows_of_group));
  return {GridExtent{.fixed = groups}, groups_of_rows(context, x, tile)};
}

namespace {

bool on_cpu(const Node& node, const SelectionContext& context) {
  return context.facts.is_cpu && has_only_rows(node, context);
}

KernelUse linear_use(const Node& node, const SelectionContext& context, std::string module_path) {
  KernelUse use{.module_path = std::move(module_path), .label = node.name};
  use.specialization.weights = {{"w", weights_descriptor(context, node.inputs[1])}};
  use.resources = {read("x", node.inputs[0]), read("w", node.inputs[1]), write("y", node.outputs[0]), parameters()};
  add_epilogue(node, context, use);
  return use;
}

Lowering linear_wide(const Node& node, const SelectionContext& context) {
  KernelUse use = linear_use(node, context, "package::linear_wide");
  const std::uint32_t tile = wide_tile(context, node.inputs[0]);
  use.specialization.overrides = {{"tile", tile}, {"rows_per_token", rows_per_token(context, node.inputs[0])}};
  use.grid = matrix_grid(context, node.inputs[0], use.specialization.weights.at("w"), 16, tile);
  return {.kernels = {std::move(use)}};
}

Lowering linear_rows(const Node& node, const SelectionContext& context) {
  KernelUse use = linear_use(node, context, "package::linear_rows");
  const WeightsDescriptor& weights = use.specialization.weights.at("w");
  const RowTiling tiling = row_tiling(context, node.inputs[0], weights);
  use.specialization.overrides = {{"lanes", tiling.lanes},
                                  {"splits", tiling.splits},
                                  {"tile", tiling.tile},
                                  {"rows_per_token", rows_per_token(context, node.inputs[0])}};
  use.grid = matrix_grid(context, node.inputs[0], weights, tiling.lanes, tiling.tile);
  return {.kernels = {std::move(use)}};
}

constexpr KernelRow rows[] = {{Linear::name, "linear-wide", on_cpu, linear_wide},
                              {Linear::name, "linear-rows", has_only_rows, linear_rows}};

}  // namespace

std::span<const KernelRow> linear_kernels() { return rows; }

}  // namespace driftwood::graph

#include "graph/selection/linear.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.h"
#include "graph/selection/convolution.h"
#include "graph/selection/half_rows.h"
#include "graph/selection/rows.h"
#include "graph/selection/token_axis.h"
#include "graph/selection/workgroups.h"
#include "tensor/packed_weights.h"

namespace driftwood::graph {

WeightsDescriptor weights_descriptor(const SelectionContext& context, ValueId weights) {
  const WeightsSource& source = context.value(weights).weights;
  WeightsDescriptor descriptor{.format = source.format,
                               .rows = source.rows(),
                               .columns = source.columns,
                               .row_group = interleaved_rows(context),
                               .word_run = context.facts.is_cpu ? 1 : gpu_word_run(source.format)};
  // The pipeline of a workgroup multiplies halves where they lie: eight columns of 64 rows are a part of its factor.
  const bool is_factor = context.facts.pipeline_memory > 0 && !context.facts.is_cpu && descriptor.row_group > 1;
  if (is_factor && source.format == DataType::F16) {
    descriptor.row_group = 64;
    descriptor.word_run = 4;
  }
  return descriptor;
}

std::uint32_t matrices_of(const Node& node) { return node.as<GatedLinear>() != nullptr ? 2 : 1; }

namespace {

// Tokens that share each decoded weight.
std::uint32_t wide_tile(const SelectionContext& context, ValueId x, DataType format) {
  // 16 sums of sixteen rows fill the 32 vector registers of AVX-512 and still gained over 8 and 12 where measured
  // (docs/performance.md). Formats in blocks of 256 need registers for two levels of scales: `driftwood tune` found 8
  // sums twice as fast of Q6_K (0.81 ms and 1.57 for 640 x 2048 and 48 tokens), and 6 a third faster of Q4_K.
  const std::uint32_t most = info(format).block_length == 256 ? 8 : 16;
  return context.per_token(x) ? std::min<std::uint32_t>(most, context.shape(x).w) : 1;
}

// Invocations that hide the latency of memory on a compute unit of a GPU, each with a chunk or two of weights under
// way: 32 subgroups of 32, half of what a multiprocessor of NVIDIA's holds and what a unit of AMD's does.
constexpr std::uint32_t busy_invocations = 1024;

// Of few tokens a workgroup can keep what it needs of them, and has registers for several chunks of weights.
constexpr std::uint32_t few_tokens = 4;

std::uint32_t slices_of(const SelectionContext& context, ValueId x) { return context.shape(x).slices(); }

float epsilon_of(const Node& node) {
  if (const auto* linear = node.as<Linear>()) return linear->epsilon;
  if (const auto* qkv = node.as<QkvLinear>()) return qkv->epsilon;
  return node.as<GatedLinear>()->epsilon;
}

/// The norm's factors and constants, where the node normalizes.
void add_norm(const Node& node, const SelectionContext& context, KernelUse& use) {
  const bool is_normal = normalizes(node.operation);
  use.specialization.overrides["normalizes"] = is_normal;
  if (is_normal) {
    use.specialization.overrides["epsilon"] = epsilon_of(node);
    use.resources.push_back(read("gamma", node.inputs.back()));
  } else {
    use.specialization.tensors["gamma"] = context.descriptor(node.inputs[0]);  // of its kind; not used
  }
}

// Workgroup memory as kernels/row_product.wgsl lays it out.
std::uint64_t bytes_of(const RowTiling& tiling, const Node& node, const SelectionContext& context) {
  const std::uint64_t invocations = std::uint64_t{tiling.lanes} * tiling.splits;
  const std::uint32_t squares = normalizes(node.operation) ? 1 : 0;
  std::uint64_t bytes = std::uint64_t{4} * tiling.tile * invocations * (matrices_of(node) + squares);
  // Of 32 columns two bytes each, and four numbers.
  if (tiling.halves) bytes += std::uint64_t{10} * slices_of(context, node.inputs[0]);
  if (tiling.stages) bytes += std::uint64_t{16} * tiling.tile * slices_of(context, node.inputs[0]);
  return bytes;
}

Grid matrix_grid(const SelectionContext& context, ValueId x, const WeightsDescriptor& weights,
                 std::uint32_t rows_of_group, std::uint32_t tile) {
  return {groups_of(weights.rows, rows_of_group), groups_of_rows(context, x, tile)};
}

// Groups of sixteen rows that share a workgroup's norm, while a core still gets a dozen workgroups.
std::uint32_t wide_blocks(const Node& node, const SelectionContext& context, std::uint32_t rows) {
  if (!normalizes(node.operation)) return 1;
  constexpr std::uint32_t most_blocks = 8;
  const std::uint64_t groups = divide_up(rows, 16);
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(groups / (std::uint64_t{12} * context.facts.compute_units), 1, most_blocks));
}

// Cores take workgroups as they are done with others, and are done together where each has some.
bool keeps_cores_busy(std::uint32_t blocks, std::uint32_t rows, const SelectionContext& context) {
  constexpr std::uint64_t groups_of_core = 4;
  return divide_up(divide_up(rows, 16), blocks) >= groups_of_core * context.facts.compute_units;
}

}  // namespace

RowTiling choose_row_tiling(const Node& node, const SelectionContext& context, const WeightsDescriptor& weights) {
  const gpu::DeviceFacts& facts = context.facts;
  const ValueId x = node.inputs[0];
  RowTiling tiling{.lanes = weights_row_group(facts)};
  if (context.per_token(x)) tiling.tile = std::min<std::uint32_t>(8, context.shape(x).w);
  // A row's columns are shared by as many invocations as keep the device busy: fewer where there are more rows; of many
  // tokens, each of which gives an invocation enough to do, 128 in a group.
  const std::uint64_t on_a_unit = divide_up(divide_up(weights.rows, tiling.lanes), facts.compute_units);
  std::uint64_t threads = 128;
  if (tiling.tile <= few_tokens) threads = std::max<std::uint64_t>(256, busy_invocations / on_a_unit);
  threads = std::min<std::uint64_t>(threads, facts.max_workgroup_size);
  const auto chunks = static_cast<std::uint32_t>(divide_up(weights.columns, 32));
  while (std::uint64_t{2} * tiling.splits * tiling.lanes <= threads && tiling.splits * 2 <= chunks &&
         tiling.splits * 2 <= facts.max_workgroup_extent[1]) {
    tiling.splits *= 2;
  }
  const bool is_of_few = tiling.tile <= few_tokens;
  while (tiling.tile > 1 && bytes_of(tiling, node, context) > facts.local_memory) tiling.tile /= 2;
  const auto fits_with = [&](std::uint32_t RowTiling::*member) {
    return [&, member](std::uint32_t value) {
      RowTiling other = tiling;
      other.*member = value;
      return bytes_of(other, node, context) <= facts.local_memory && other.splits <= chunks &&
             other.splits * other.lanes <= facts.max_workgroup_size && other.splits <= facts.max_workgroup_extent[1];
    };
  };
  if (context.per_token(x) && context.shape(x).w > 1) {
    tiling.tile = context.choice("tile", tiling.tile, {1, 2, 4, 8, 16}, fits_with(&RowTiling::tile));
  }
  tiling.splits = context.choice("splits", tiling.splits, {1, 2, 4, 8, 16, 32}, fits_with(&RowTiling::splits));
  tiling.turns = context.choice("turns", is_of_few && chunks >= 2 * tiling.splits ? 2 : 1, {1, 2, 4},
                                [&](std::uint32_t turns) { return turns * tiling.splits <= chunks; });
  // Without a norm nothing is gained by staging: a workgroup reads each value of x once either way.
  RowTiling staged = tiling;
  staged.stages = true;
  const bool fits = bytes_of(staged, node, context) <= facts.local_memory;
  if (!normalizes(node.operation) || !fits) return tiling;
  // A unit holds some eight such workgroups at a time; those that would come later find the norm done.
  staged.blocks = context.choice("blocks", static_cast<std::uint32_t>(std::clamp<std::uint64_t>(on_a_unit / 8, 1, 8)),
                                 {1, 2, 4, 8, 16});
  return staged;
}

std::uint32_t byte_format(DataType format) {
  static constexpr std::pair<DataType, std::uint32_t> numbers[] = {
      {DataType::Q8_0, 1}, {DataType::Q4_0, 2}, {DataType::Q4_1, 3}, {DataType::Q5_0, 4},
      {DataType::Q5_1, 5}, {DataType::I8C, 6},  {DataType::I4C, 7}};
  for (const auto& [type, number] : numbers) {
    if (type == format) return number;
  }
  return 0;
}

std::uint32_t half_format(DataType format) {
  switch (format) {
    case DataType::Q4_K: return 8;
    case DataType::Q5_K: return 9;
    case DataType::Q6_K: return 10;
    default: return info(format).has_row_scale() ? 0 : byte_format(format);
  }
}

bool takes_halves(const Node& node, const SelectionContext& context) {
  const gpu::DeviceFacts& facts = context.facts;
  if (context.options.precision == Precision::F32 || !facts.has_f16_arithmetic || facts.is_cpu) return false;
  constexpr std::uint32_t lanes_of_chunk = 8;  // which share what they find of its 32 values
  if (!facts.has_subgroups || facts.subgroup_size < lanes_of_chunk) return false;
  const Shape& x = context.shape(node.inputs[0]);
  const WeightsSource& weights = context.value(node.inputs[1]).weights;
  if (!has_only_rows(node, context) || x.w != 1 || half_format(weights.format) == 0) return false;
  if (weights.columns % info(weights.format).block_length != 0 || !node.prologue.empty()) return false;
  return bytes_of(choose_half_tiling(node, context), node, context) <= facts.local_memory;
}

bool takes_wide_rows(const Node& node, const SelectionContext& context) {
  return context.facts.is_cpu && interleaved_rows(context) % 16 == 0 && has_only_rows(node, context);
}

Lowering in_wide_rows(KernelUse use, const Node& node, const SelectionContext& context, const std::string& weights) {
  const ValueId x = node.inputs[0];
  const WeightsDescriptor& matrix = use.specialization.weights.at(weights);
  const bool has_tokens = context.per_token(x) && context.shape(x).w > 1;
  const std::uint32_t tile = !has_tokens
                                 ? 1
                                 : context.choice("tile", wide_tile(context, x, matrix.format), {4, 6, 8, 12, 16, 20},
                                                  [&](std::uint32_t tokens) { return tokens <= context.shape(x).w; });
  const std::uint32_t blocks =
      context.choice("blocks", wide_blocks(node, context, matrix.rows), {1, 2, 4, 8, 16, 32},
                     [&](std::uint32_t groups) { return keeps_cores_busy(groups, matrix.rows, context); });
  // With few rows to share it, what is staged must stay in the cache of a core.
  constexpr std::uint64_t most_staged_bytes = 64 << 10;
  const std::uint64_t bytes = std::uint64_t{16} * tile * slices_of(context, x);
  const bool can_stage = normalizes(node.operation) && bytes <= context.facts.local_memory;
  const bool stages = can_stage && context.choice("stages", bytes <= most_staged_bytes ? 1 : 0, {0, 1}) != 0;
  use.specialization.overrides = {{"tile", tile},
                                  {"rows_per_token", rows_per_token(context, x)},
                                  {"blocks", blocks},
                                  {"staged_slices", stages ? slices_of(context, x) : 0}};
  add_norm(node, context, use);
  use.grid = matrix_grid(context, x, matrix, 16 * blocks, tile);
  return {.kernels = {std::move(use)}};
}

Lowering in_lanes(KernelUse use, const Node& node, const SelectionContext& context, const RowTiling& tiling) {
  const ValueId x = node.inputs[0];
  const WeightsDescriptor& matrix = use.specialization.weights.begin()->second;
  use.specialization.overrides = {{"lanes", tiling.lanes},
                                  {"splits", tiling.splits},
                                  {"tile", tiling.tile},
                                  {"matrices", matrices_of(node)},
                                  {"blocks", tiling.blocks},
                                  {"turns", tiling.turns},
                                  {"staged_slices", tiling.stages ? slices_of(context, x) : 0},
                                  {"rows_per_token", rows_per_token(context, x)}};
  if (tiling.halves) {
    use.specialization.overrides["weights_kind"] = half_format(matrix.format);
    const std::uint32_t chunks = matrix.columns / 32;
    use.specialization.overrides["half_chunks"] = chunks;
    use.specialization.overrides["in_bytes"] = tiling.in_bytes ? 1 : 0;
    use.specialization.overrides["sides"] = matrices_of(node);
    use.specialization.overrides["neighbours"] =
        std::min(context.facts.subgroup_size, tiling.lanes * tiling.splits * matrices_of(node));
  }
  add_norm(node, context, use);
  use.grid = matrix_grid(context, x, matrix, tiling.lanes * tiling.blocks, tiling.tile);
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

void add_row_scales(DataType format, bool is_wide, KernelUse& use) {
  if (!info(format).has_row_scale()) return;
  for (const std::string_view name : {"w", "up"}) {
    const std::string function = name == "w" ? "row_scales" : "up_row_scales";
    const auto scale = [&](int row) { return fmt::format("weightsRowScale({}, 4u * s + {}u)", name, row); };
    use.specialization.fusions[function] =
        is_wide ? fmt::format("fn {}(rows: u32) -> vec16<f32> {{\n  return weightsRowScale({}, rows);\n}}\n", function,
                              name)
                : fmt::format("fn {}(s: u32) -> vec4f {{\n  return vec4f({}, {}, {}, {});\n}}\n", function, scale(0),
                              scale(1), scale(2), scale(3));
  }
}

Lowering linear_in_lanes(const Node& node, const SelectionContext& context, const RowTiling& tiling) {
  return in_lanes(matrix_use(node, context, "package::linear_rows"), node, context, tiling);
}

namespace {

Lowering linear_wide(const Node& node, const SelectionContext& context) {
  return in_wide_rows(matrix_use(node, context, "package::linear_wide"), node, context, "w");
}

Lowering linear_rows(const Node& node, const SelectionContext& context) {
  return linear_in_lanes(node, context, choose_row_tiling(node, context, weights_descriptor(context, node.inputs[1])));
}

Lowering linear_halves(const Node& node, const SelectionContext& context) {
  return linear_in_lanes(node, context, choose_half_tiling(node, context));
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
                              {Linear::name, "linear-halves", takes_halves, linear_halves},
                              {Linear::name, "linear-rows", has_only_rows, linear_rows}};

}  // namespace

std::span<const KernelRow> linear_kernels() { return rows; }

}  // namespace driftwood::graph

#include "graph/selection/matrix_product.h"

#include <algorithm>

#include "base/checked.h"
#include "graph/cost.h"
#include "graph/lowering.h"
#include "graph/selection/convolution.h"
#include "graph/selection/linear.h"
#include "graph/selection/rows.h"
#include "graph/selection/token_axis.h"
#include "graph/selection/tunable.h"
#include "graph/selection/workgroups.h"
#include "graph/spare_memory.h"
#include "graph/storage_choice.h"

namespace driftwood::graph {
namespace {

constexpr std::uint32_t depth = 32;  // columns of a step

// A subgroup of the largest tile multiplies 64 x 64, for which it reads 8 matrices for every 16 products; one of 64 x
// 32 reads 6 for 8, one of 32 x 32 reads 4 for 4. Workgroup memory gives a matrix (512 bytes) in 4 cycles of a
// multiprocessor and a product takes 3 to 4, so the reads hide behind the products of the first alone. A smaller
// tile also moves more input for each product.
//
// Of opaque matrices more subgroups share a tile: prefill of gemma-2b through Dawn on an H200 comes to 18.4 thousand
// tokens/s where each has 64 x 64, to 24.1 and 24.6 with 32 x 64 and 64 x 32, and to 25.5 with 32 x 32.
constexpr MatrixTile tiles[] = {
    {.positions = 128, .outputs = 128, .down = 2, .across = 2, .step_cost = 1.0},
    {.positions = 128,
     .outputs = 128,
     .down = 4,
     .across = 4,
     .step_cost = 1.0,
     .for_known = false,
     .for_opaque = true},
    {.positions = 128, .outputs = 64, .down = 2, .across = 2, .step_cost = 0.6},
    {.positions = 128, .outputs = 64, .down = 4, .across = 2, .step_cost = 0.6, .for_known = false, .for_opaque = true},
    {.positions = 64, .outputs = 64, .down = 2, .across = 2, .step_cost = 0.38, .for_opaque = true},
};

// Costs in steps of the largest tile, of about half a microsecond. A single workgroup on a unit has nothing to do while
// it waits for memory or a barrier.
constexpr double lonely = 1.3;
// Adding shares takes a further launch (3 us), and writes and reads 8 bytes for each share of an output, at 3 TB/s.
constexpr double launch_cost = 6;
constexpr double share_cost = 1.0 / 187500;
constexpr std::uint32_t least_steps = 4;  // of a share: below, filling the first step is most of its time
constexpr std::uint32_t most_splits = 16;

// A prologue is applied once, into memory of its own, where many workgroups would repeat it: under each tap of a window
// and for each tile of outputs. Only where that memory would be as large as anything in the graph is it saved, since
// the plan then turns on it (256 channels of 512 x 512 in an image's decoder: 128 MiB); the repetition doubles the time
// of such a convolution (docs/performance.md). Below this size it never matters.
constexpr std::uint64_t least_saved_bytes = std::uint64_t{24} << 20;

bool is_gated(const Node& node) { return node.as<GatedLinear>() != nullptr; }

bool fits_device(const MatrixTile& tile, std::uint32_t positions, const gpu::DeviceFacts& facts) {
  return tile.serves(facts) && tile.bytes(facts) <= facts.local_memory &&
         tile.invocations() <= facts.max_workgroup_size && tile.invocations() <= facts.max_workgroup_extent[0] &&
         divide_up(positions, tile.positions) <= facts.max_workgroup_count[1];
}

/// Whether `steps` of columns can be divided: all shares have some, enough of them, and the sums fit.
bool can_split(std::uint32_t splits, std::uint32_t steps, std::uint32_t positions, std::uint32_t outputs,
               std::uint64_t most_share_bytes) {
  const std::uint64_t share = divide_up(steps, splits);
  if (divide_up(steps, share) != splits) return false;
  const std::uint64_t bytes = std::uint64_t{4} * positions * outputs * splits;
  return splits == 1 || (share >= least_steps && bytes <= most_share_bytes);
}

/// Outputs as tiles count them: a gated linear has twice as many rows of weights.
std::uint32_t tiled_outputs(const Node& node, const SelectionContext& context) {
  return context.shape(node.outputs[0]).c * (is_gated(node) ? 2 : 1);
}

/// A node's input as it is made ready in memory of its own.
TensorDescriptor ready_input_of(const Node& node, const SelectionContext& context) {
  return {.shape = context.graph.joined_shape(node),
          .data_type = DataType::F16,
          .layout = default_layout(StorageKind::Buffer)};
}

// A product under a window of one tap reads of x what lies where its tile of y will be. Where the tile holds all
// outputs of its positions, no other workgroup reads that, and y can be stored over x.
bool can_be_in_place(const Node& node, const SelectionContext& context) {
  return node.inputs.size() == 2 && node.prologue.empty() && node.as<Conv2d>() != nullptr &&
         *node.as<Conv2d>() == Conv2d{} && context.value(node.inputs[0]).role == Role::Activation &&
         context.descriptor(node.inputs[0]) == context.descriptor(node.outputs[0]);
}

// What was measured of tile and splits, within the same limits.
MatrixTiling tuned_tiling(MatrixTiling tiling, const Node& node, const SelectionContext& context,
                          std::uint64_t most_share_bytes) {
  const std::uint32_t positions = positions_of(context.shape(node.outputs[0]));
  const std::uint32_t outputs = tiled_outputs(node, context);
  const auto extents = [](const MatrixTile& tile) { return std::pair(tile.positions, tile.outputs); };
  const auto fits = [&](const MatrixTile& tile) { return fits_device(tile, positions, context.facts); };
  const MatrixTile& tile = tuned_tile(context, std::span<const MatrixTile>(tiles), *tiling.tile, extents, fits);
  tiling.tile = &tile;
  const auto steps = static_cast<std::uint32_t>(divide_up(context.shape(node.inputs[1]).c, depth));
  tiling.splits = context.choice("splits", tiling.splits, {1, 2, 3, 4, 6, 8, 12, 16}, [&](std::uint32_t splits) {
    return can_split(splits, steps, positions, outputs, most_share_bytes);
  });
  return tiling;
}

bool is_half_buffer(const SelectionContext& context, ValueId id) {
  return context.value(id).data_type == DataType::F16 && context.descriptor(id).storage == StorageKind::Buffer;
}

// Whether what enters the product lies as halves in buffers.
bool reads_halves(const Node& node, const SelectionContext& context) {
  const ValueId x2 = joined_input(node);
  return is_half_buffer(context, node.inputs[0]) && (x2 == no_value || is_half_buffer(context, x2));
}

MatrixTiling tiling_of(const Node& node, const SelectionContext& context) {
  if (can_be_in_place(node, context) && physical_bytes(context.descriptor(node.inputs[0])) >= least_saved_bytes) {
    const std::uint32_t outputs = context.shape(node.outputs[0]).c;
    for (const MatrixTile& tile : tiles) {
      if (tile.serves(context.facts) && tile.outputs >= outputs &&
          tile.bytes(context.facts) <= context.facts.local_memory &&
          tile.invocations() <= context.facts.max_workgroup_size) {
        return {.tile = &tile};
      }
    }
  }
  // Shares are kept in f32 beside all that lives. What is less than the largest tensor of a graph does not raise its
  // peak where that tensor is not alive: in a UNet shares serve the coarse levels, the peak is at the finest.
  const std::uint64_t largest = largest_activation(context);
  const std::uint64_t most_share_bytes = is_gated(node) || largest == 0 ? 0 : largest - 1;
  MatrixTiling tiling = choose_tiling(positions_of(context.shape(node.outputs[0])), tiled_outputs(node, context),
                                      context.shape(node.inputs[1]).c, most_share_bytes, context.facts);
  // Kernels with a prologue in their loads read halves without one.
  tiling.loads_prologue =
      reads_halves(node, context) && decides_plan(context, physical_bytes(ready_input_of(node, context)));
  return tiling.tile == nullptr ? tiling : tuned_tiling(tiling, node, context, most_share_bytes);
}

bool takes_matrix_units(const Node& node, const SelectionContext& context) {
  if (!context.facts.has_matrices || context.facts.is_cpu || context.options.precision == Precision::F32) return false;
  if (normalizes(node.operation)) return false;
  const Shape& output = context.shape(node.outputs[0]);
  if (output.d != 1 || positions_of(output) < least_matrix_positions) return false;
  // A prologue makes halves of whatever it reads.
  if (node.prologue.empty() && !reads_halves(node, context)) return false;
  return tiling_of(node, context).tile != nullptr;
}

void set_tile(const MatrixTile& tile, KernelUse& use) {
  auto& overrides = use.specialization.overrides;
  overrides["tile_positions"] = tile.positions;
  overrides["tile_outputs"] = tile.outputs;
  overrides["subgroups_down"] = tile.down;
  overrides["subgroups_across"] = tile.across;
}

/// A kernel of one invocation for each of `count` elements.
void set_elements(const SelectionContext& context, std::uint64_t count, KernelUse& use) {
  const std::uint32_t lanes = lanes_for(context.facts, count);
  use.specialization.overrides["lanes"] = lanes;
  use.grid = {groups_of(count, lanes)};
}

/// Joins and transforms the input once, into scratch memory.
KernelUse ready_input(const Node& node, const SelectionContext& context, std::uint32_t scratch,
                      const TensorDescriptor& ready) {
  KernelUse use{.module_path = "package::conv_input", .label = node.name + ".input"};
  const ValueId x2 = joined_input(node);
  use.specialization.overrides = {{"joined", x2 != no_value}};
  use.specialization.tensors = {{"x2", context.descriptor(x2 == no_value ? node.inputs[0] : x2)}};
  use.resources = {read("x", node.inputs[0]), write_scratch("ready", scratch)};
  if (x2 != no_value) use.resources.push_back(read("x2", x2));
  add_prologue(node, context, use);
  set_elements(context, std::uint64_t{positions_of(ready.shape)} * ready.shape.slices(), use);
  use.cost = estimate_cost(use, node, false, context);
  return use;
}

}  // namespace

std::uint64_t largest_activation(const SelectionContext& context) {
  std::uint64_t largest = 0;
  for (const Value& value : context.graph.values()) {
    if (value.role == Role::Activation && value.descriptor) {
      largest = std::max(largest, physical_bytes(*value.descriptor));
    }
  }
  return largest;
}

bool decides_plan(const SelectionContext& context, std::uint64_t bytes) {
  return bytes >= least_saved_bytes && bytes > spare_memory(context.facts) && bytes >= largest_activation(context);
}

TensorDescriptor shares_of(const Node& node, const SelectionContext& context, std::uint32_t splits) {
  const Shape& output = context.shape(node.outputs[0]);
  return {.shape = {.h = splits, .w = positions_of(output), .c = output.c},
          .data_type = DataType::F32,
          .layout = default_layout(StorageKind::Buffer)};
}

KernelUse sum_of_shares(const Node& node, const SelectionContext& context, std::uint32_t scratch,
                        std::uint32_t rows_of_token) {
  KernelUse use{.module_path = "package::matrix_sum", .label = node.name + ".sum"};
  const Shape& output = context.shape(node.outputs[0]);
  use.specialization.overrides = {{"rows_per_token", rows_of_token}};
  use.resources = {read_scratch("shares", scratch), write("y", node.outputs[0]), parameters()};
  add_epilogue(node, context, use);
  set_elements(context, std::uint64_t{positions_of(output)} * output.slices(), use);
  return use;
}

std::uint64_t MatrixTile::bytes(const gpu::DeviceFacts& facts) const {
  const std::uint64_t steps = std::uint64_t{2} * (positions + outputs) * (2 * depth + 16);
  const std::uint64_t sums = std::uint64_t{4} * (positions / down) * (outputs + 8);
  return facts.has_typed_matrix_memory ? steps + sums : steps;
}

std::span<const MatrixTile> matrix_tiles() { return tiles; }

MatrixTiling choose_tiling(std::uint32_t positions, std::uint32_t outputs, std::uint32_t columns,
                           std::uint64_t most_share_bytes, const gpu::DeviceFacts& facts) {
  MatrixTiling best;
  double least = 0;
  const auto steps = static_cast<std::uint32_t>(divide_up(columns, depth));
  for (const MatrixTile& tile : tiles) {
    if (!fits_device(tile, positions, facts)) continue;
    const std::uint64_t groups = divide_up(positions, tile.positions) * divide_up(outputs, tile.outputs);
    for (std::uint32_t wanted = 1; wanted <= most_splits; ++wanted) {
      const std::uint32_t splits = wanted;
      if (!can_split(splits, steps, positions, outputs, most_share_bytes)) continue;
      const auto share = static_cast<double>(divide_up(steps, splits));
      const auto on_a_unit = static_cast<double>(divide_up(groups * splits, facts.compute_units));
      double cost = on_a_unit * share * tile.step_cost * (on_a_unit == 1 ? lonely : 1);
      if (splits > 1) cost += launch_cost + share_cost * positions * outputs * splits;
      if (best.tile != nullptr && cost >= least) continue;
      best = {.tile = &tile, .splits = splits};
      least = cost;
    }
  }
  return best;
}

Lowering matrix_product(const Node& node, const SelectionContext& context, const MatrixTiling& tiling) {
  const ValueId x = node.inputs[0];
  const ValueId y = node.outputs[0];
  const Shape& output = context.shape(y);
  const std::uint32_t rows_of_token = token_rows(node, context);
  Lowering lowering;
  KernelUse use{.module_path = is_gated(node) ? "package::gated_matrix" : "package::conv_matrix", .label = node.name};
  set_tile(*tiling.tile, use);
  if (context.facts.has_typed_matrix_memory) use.specialization.overrides["own_sums"] = 1;
  set_window(node, context, use);
  use.specialization.overrides["rows_per_token"] = rows_of_token;
  use.specialization.overrides["half_weights"] = context.value(node.inputs[1]).weights.format == DataType::F16;
  use.resources = {parameters()};

  ValueId x2 = joined_input(node);
  const bool in_load = !node.prologue.empty() && tiling.loads_prologue;
  use.specialization.overrides["transforms"] = in_load;
  if (node.prologue.empty() || in_load) {
    use.resources.push_back(read("x", x));
    if (in_load) add_prologue(node, context, use);
  } else {
    const TensorDescriptor ready = ready_input_of(node, context);
    const auto scratch = static_cast<std::uint32_t>(lowering.scratch.size());
    lowering.scratch.push_back({.name = "input", .tensor = ready});
    lowering.kernels.push_back(ready_input(node, context, scratch, ready));
    use.specialization.tensors["x"] = ready;
    use.resources.push_back(read_scratch("x", scratch));
    x2 = no_value;
  }
  use.specialization.overrides["joined"] = x2 != no_value;
  if (x2 != no_value) use.resources.push_back(read("x2", x2));

  const TensorDescriptor& stored = context.descriptor(y);
  const bool in_place = tiling.splits == 1 && tiling.tile->outputs >= output.c && can_be_in_place(node, context);
  if (is_gated(node)) {
    use.specialization.weights = {{"gate", weights_descriptor(context, node.inputs[1])},
                                  {"up", weights_descriptor(context, node.inputs[2])}};
    add_gate(node, context, use);
    use.resources.push_back(read("gate", node.inputs[1]));
    use.resources.push_back(read("up", node.inputs[2]));
  } else {
    use.specialization.overrides["splits"] = tiling.splits;
    use.specialization.overrides["in_place"] = in_place;
    use.specialization.weights = {{"w", weights_descriptor(context, node.inputs[1])}};
    use.resources.push_back(read("w", node.inputs[1]));
    if (x2 == no_value) {
      const auto& tensors = use.specialization.tensors;
      const auto own = tensors.find("x");
      use.specialization.tensors["x2"] = own == tensors.end() ? context.descriptor(x) : own->second;  // never read
    }
    use.specialization.tensors["shares"] = stored;  // never written, unless there are some
  }

  const std::uint32_t tile_outputs = tiling.tile->outputs / (is_gated(node) ? 2 : 1);
  GridExtent rows = groups_of(positions_of(output), tiling.tile->positions);
  if (rows_of_token > 0) rows = {.rows_per_group = tiling.tile->positions, .rows_per_token = rows_of_token};
  use.grid = {groups_of(output.c, tile_outputs), rows, GridExtent{.fixed = tiling.splits}};
  if (tiling.splits == 1) {
    use.resources.push_back(write("y", y));
    if (in_place) use.in_place.emplace_back(y, x);
    add_epilogue(node, context, use);
    use.cost = estimate_cost(use, node, true, context);
    lowering.kernels.push_back(std::move(use));
    return lowering;
  }
  const TensorDescriptor shares = shares_of(node, context, tiling.splits);
  const auto scratch = static_cast<std::uint32_t>(lowering.scratch.size());
  lowering.scratch.push_back({.name = "shares", .tensor = shares});
  use.specialization.tensors["shares"] = shares;
  use.specialization.tensors["y"] = stored;  // whose shape counts positions
  use.resources.push_back(write_scratch("shares", scratch));
  use.cost = estimate_cost(use, node, true, context);
  lowering.kernels.push_back(std::move(use));
  lowering.kernels.push_back(sum_of_shares(node, context, scratch, rows_of_token));
  return lowering;
}

namespace {

Lowering on_matrix_units(const Node& node, const SelectionContext& context) {
  return matrix_product(node, context, tiling_of(node, context));
}

constexpr KernelRow rows[] = {{Conv2d::name, "conv-matrix", takes_matrix_units, on_matrix_units},
                              {Linear::name, "linear-matrix", takes_matrix_units, on_matrix_units},
                              {GatedLinear::name, "gated-linear-matrix", takes_matrix_units, on_matrix_units}};

}  // namespace

std::span<const KernelRow> matrix_product_kernels() { return rows; }

}  // namespace driftwood::graph

#include "graph/selection/convolution.h"

#include <iterator>

#include "base/checked.h"
#include "graph/selection/token_axis.h"
#include "graph/selection/tunable.h"
#include "graph/selection/workgroups.h"

namespace driftwood::graph {

Conv2d convolution_of(const Node& node) { return node.as<Conv2d>() != nullptr ? *node.as<Conv2d>() : Conv2d{}; }

ValueId joined_input(const Node& node) {
  const std::size_t joined = joined_operand(node.operation);
  return joined != 0 && node.inputs.size() > joined ? node.inputs[joined] : no_value;
}

void set_border(const Node& node, const SelectionContext& context, KernelUse& use) {
  const Conv2d convolution = convolution_of(node);
  const Shape& x = context.shape(node.inputs[0]);
  auto& overrides = use.specialization.overrides;
  overrides["pad_top"] = convolution.pad_top;
  overrides["pad_left"] = convolution.pad_left;
  overrides["upsample"] = convolution.upsample;
  overrides["repeated_h"] = convolution.repeated_h(x);
  overrides["repeated_w"] = convolution.repeated_w(x);
}

void set_window(const Node& node, const SelectionContext& context, KernelUse& use) {
  set_border(node, context, use);
  const Conv2d convolution = convolution_of(node);
  auto& overrides = use.specialization.overrides;
  overrides["window_w"] = convolution.window_w;
  overrides["taps"] = convolution.taps();
  overrides["stride"] = convolution.stride;
}

bool takes_wide_image(const Node& node, const SelectionContext& context) {
  return context.facts.is_cpu && interleaved_rows(context) % 16 == 0 && !has_only_rows(node, context) &&
         context.shape(node.inputs[0]).d == 1 && !normalizes(node.operation);
}

namespace {

// Whether a window of some output position reaches beyond the input.
bool is_bordered(const Conv2d& convolution, const Shape& x, const Shape& y) {
  const auto leaves = [&](std::uint32_t before, std::uint32_t extent, std::uint32_t window, std::uint32_t outputs) {
    return before > 0 || (outputs - 1) * convolution.stride + window > extent;
  };
  return leaves(convolution.pad_top, convolution.repeated_h(x), convolution.window_h, y.h) ||
         leaves(convolution.pad_left, convolution.repeated_w(x), convolution.window_w, y.w);
}

// The least number of equal parts of at most `most`, and the extent of one.
std::uint32_t even_part(std::uint32_t extent, std::uint32_t most) {
  return static_cast<std::uint32_t>(divide_up(extent, divide_up(extent, most)));
}

// What kernels/window.wgsl leaves open.
void set_input(const Node& node, const SelectionContext& context, KernelUse& use) {
  const ValueId x2 = joined_input(node);
  auto& overrides = use.specialization.overrides;
  set_window(node, context, use);
  overrides["is_bordered"] =
      is_bordered(convolution_of(node), context.shape(node.inputs[0]), context.shape(node.outputs[0]));
  overrides["is_joined"] = x2 != no_value;
  // Only a linear has a token axis: the width of an image is no number of tokens.
  const bool has_tokens = context.graph.max_tokens > 1 && node.as<Conv2d>() == nullptr;
  overrides["rows_per_token"] = has_tokens ? rows_per_token(context, node.outputs[0]) : 0;
  if (x2 != no_value) {
    use.resources.push_back(read("x2", x2));
  } else if (node.as<GatedLinear>() == nullptr) {
    use.specialization.tensors["x2"] = context.descriptor(node.inputs[0]);  // of its kind; not used
  }
}

// A tile of tile_product: 4 lanes_o outputs times rows * lanes_p positions.
struct Tile {
  std::uint32_t lanes_o, lanes_p, rows, depth;
  std::uint32_t invocations() const { return lanes_o * lanes_p; }
  std::uint32_t positions() const { return rows * lanes_p; }
  std::uint64_t bytes(std::uint32_t matrices) const {
    return std::uint64_t{16} * depth * (positions() + 1 + 4 * lanes_o * matrices);
  }
};

// Eight positions and four outputs an invocation read 12 vectors of workgroup memory for 128 products. The last is for
// devices with the least memory and workgroups, and for few positions.
constexpr Tile tiles[] = {{16, 16, 8, 8}, {16, 8, 8, 8}, {16, 8, 4, 8}, {8, 8, 4, 4}};

constexpr std::uint32_t least_positions = 16;

// By rule the largest tile that the device can run and that leaves no compute unit idle; else the smallest.
const Tile& tile_for(std::uint32_t positions, std::uint32_t slices, std::uint32_t matrices,
                     const SelectionContext& context) {
  const gpu::DeviceFacts& facts = context.facts;
  const auto fits = [&](const Tile& tile) {
    return tile.invocations() <= facts.max_workgroup_size && tile.invocations() <= facts.max_workgroup_extent[0] &&
           tile.bytes(matrices) <= facts.local_memory;
  };
  const Tile* by_rule = &tiles[std::size(tiles) - 1];
  for (const Tile& tile : tiles) {
    const std::uint64_t count = divide_up(positions, tile.positions()) * divide_up(slices, tile.lanes_o);
    if (!fits(tile) || count < 2 * std::uint64_t{facts.compute_units}) continue;
    by_rule = &tile;
    break;
  }
  const auto extents = [](const Tile& tile) { return std::pair(tile.positions(), 4 * tile.lanes_o); };
  return tuned_tile(context, std::span<const Tile>(tiles), *by_rule, extents, fits);
}

}  // namespace

bool takes_tiles(const Node& node, const SelectionContext& context) {
  const Shape& shape = context.shape(node.outputs[0]);
  return shape.d == 1 && (!has_only_rows(node, context) || positions_of(shape) >= least_positions) &&
         !normalizes(node.operation);
}

Lowering in_wide_patches(KernelUse use, const Node& node, const SelectionContext& context) {
  const Shape& output = context.shape(node.outputs[0]);
  const std::uint32_t positions = positions_of(output);
  const auto row_groups = static_cast<std::uint32_t>(divide_up(output.c, 16));
  // 16 sums of sixteen rows fill the vector registers of AVX-512. Gathering the input costs as much as multiplying it
  // with some rows, so a workgroup takes many.
  const auto at_most = [](std::uint32_t most) { return [most](std::uint32_t value) { return value <= most; }; };
  const std::uint32_t tile =
      context.choice("tile", even_part(positions, 16), {4, 6, 8, 12, 16, 20}, at_most(positions));
  // Every core has some workgroups, so that all are done together.
  const std::uint64_t least_workgroups = std::uint64_t{4} * context.facts.compute_units;
  const std::uint32_t row_groups_of_group =
      context.choice("groups", even_part(row_groups, 16), {2, 4, 8, 16, 32}, [&](std::uint32_t groups) {
        return groups <= row_groups && divide_up(positions, tile) * divide_up(row_groups, groups) >= least_workgroups;
      });
  set_input(node, context, use);
  use.specialization.overrides["tile"] = tile;
  use.specialization.overrides["groups"] = row_groups_of_group;
  use.specialization.overrides["block"] = context.choice("block", 32, {8, 16, 32, 64});
  use.grid = {groups_of(positions, tile), groups_of(row_groups, row_groups_of_group)};
  return {.kernels = {std::move(use)}};
}

Lowering in_tiles(KernelUse use, const Node& node, const SelectionContext& context) {
  const Shape& output = context.shape(node.outputs[0]);
  const std::uint32_t matrices = node.as<GatedLinear>() != nullptr ? 2 : 1;
  const Tile& tile = tile_for(positions_of(output), output.slices(), matrices, context);
  set_input(node, context, use);
  use.specialization.overrides["lanes_o"] = tile.lanes_o;
  use.specialization.overrides["lanes_p"] = tile.lanes_p;
  use.specialization.overrides["rows"] = tile.rows;
  use.specialization.overrides["depth"] = tile.depth;
  use.specialization.overrides["matrices"] = matrices;
  const bool has_tokens = use.specialization.overrides["rows_per_token"] != 0 && has_only_rows(node, context);
  use.grid = {groups_of(output.slices(), tile.lanes_o), has_tokens
                                                            ? groups_of_rows(context, node.outputs[0], tile.positions())
                                                            : groups_of(positions_of(output), tile.positions())};
  return {.kernels = {std::move(use)}};
}

}  // namespace driftwood::graph

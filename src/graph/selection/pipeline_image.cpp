#include "graph/selection/pipeline_image.h"

#include "base/checked.h"
#include "graph/cost.h"
#include "graph/lowering.h"
#include "graph/selection/convolution.h"
#include "graph/selection/matrix_product.h"
#include "graph/selection/token_axis.h"

namespace driftwood::graph {
namespace {

constexpr std::uint32_t channels_of_step = 64;
// Fewer outputs would leave most of a tile of 128 empty; the matrix units of subgroups have tiles of 64.
constexpr std::uint32_t least_outputs = 64;

std::uint32_t channels_of(const Node& node, const SelectionContext& context) {
  return context.graph.joined_shape(node).c;
}

}  // namespace

std::uint32_t PlanesOfImage::plane(std::uint32_t tile_positions) const {
  return static_cast<std::uint32_t>(round_up(positions, tile_positions)) + reach;
}

PlanesOfImage planes_of(const Node& node, const SelectionContext& context) {
  const Conv2d convolution = convolution_of(node);
  const Shape& y = context.shape(node.outputs[0]);
  const std::uint32_t row_width = y.w + convolution.window_w - 1;
  return {.row_width = row_width,
          .batch = y.b,
          .positions = y.h * row_width * y.b,
          .reach = ((convolution.window_h - 1) * row_width + convolution.window_w - 1) * y.b};
}

bool fits_planes(const Node& node, const SelectionContext& context) {
  const Conv2d convolution = convolution_of(node);
  const std::uint32_t channels = channels_of(node, context);
  const WeightsSource& weights = context.value(node.inputs[1]).weights;
  if (convolution.stride != 1 || channels % channels_of_step != 0 || context.shape(node.inputs[0]).c % 4 != 0)
    return false;
  if (weights.format != DataType::F16 || weights.columns != convolution.taps() * channels) return false;
  if (context.shape(node.outputs[0]).c < least_outputs) return false;
  // The largest tile has 256 positions.
  const std::uint64_t bytes = std::uint64_t{2} * channels * planes_of(node, context).plane(256);
  if (decides_plan(context, bytes)) return false;
  // Under one tap other kernels store such a tensor over the one that they read.
  return convolution.taps() > 1 || !decides_plan(context, physical_bytes(context.descriptor(node.inputs[0])));
}

KernelUse planes_input(const Node& node, const SelectionContext& context, std::uint32_t scratch,
                       std::uint32_t tile_positions) {
  constexpr std::uint32_t lanes = 32, groups = 4;
  KernelUse use{.module_path = "package::pipeline_image", .label = node.name + ".input"};
  const ValueId x2 = joined_input(node);
  const PlanesOfImage planes = planes_of(node, context);
  const std::uint32_t channels = channels_of(node, context), plane = planes.plane(tile_positions);
  use.specialization.overrides = {{"lanes", lanes},
                                  {"groups", groups},
                                  {"channels", channels},
                                  {"plane", plane},
                                  {"row_width", planes.row_width},
                                  {"joined", x2 != no_value}};
  set_border(node, context, use);
  use.resources = {read("x", node.inputs[0]), write_scratch("planes", scratch)};
  if (x2 != no_value) {
    use.resources.push_back(read("x2", x2));
  } else {
    use.specialization.tensors["x2"] = context.descriptor(node.inputs[0]);  // never read
  }
  add_prologue(node, context, use);
  use.grid = {groups_of(plane, lanes), groups_of(channels / 16, groups)};
  use.cost = estimate_cost(use, node, false, context);
  return use;
}

}  // namespace driftwood::graph

#include "graph/selection/convolution.h"

#include <algorithm>

#include "base/checked.h"
#include "graph/selection/token_axis.h"

namespace driftwood::graph {

bool takes_wide_image(const Node& node, const SelectionContext& context) {
  return context.facts.is_cpu && !has_only_rows(node, context) && context.shape(node.inputs[0]).d == 1;
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

}  // namespace

Lowering in_wide_patches(KernelUse use, const Node& node, const SelectionContext& context, const Conv2d& convolution,
                         ValueId x2) {
  const ValueId x = node.inputs[0];
  const ValueId y = node.outputs[0];
  const Shape& output = context.shape(y);
  const std::uint32_t positions = output.b * output.h * output.w;
  const auto row_groups = static_cast<std::uint32_t>(divide_up(output.c, 16));
  const std::uint32_t tile = even_part(positions, 16);
  const std::uint32_t groups = even_part(row_groups, 16);
  use.specialization.overrides = {{"tile", tile},
                                  {"groups", groups},
                                  {"block", 32},
                                  {"window_w", convolution.window_w},
                                  {"taps", convolution.taps()},
                                  {"stride", convolution.stride},
                                  {"pad_top", convolution.pad_top},
                                  {"pad_left", convolution.pad_left},
                                  {"upsample", convolution.upsample},
                                  {"repeated_h", convolution.repeated_h(context.shape(x))},
                                  {"repeated_w", convolution.repeated_w(context.shape(x))},
                                  {"is_bordered", is_bordered(convolution, context.shape(x), output)},
                                  {"is_joined", x2 != no_value},
                                  {"rows_per_token", context.graph.max_tokens > 1 ? rows_per_token(context, y) : 0}};
  use.resources.push_back(read("x2", x2 == no_value ? x : x2));  // the kernel does not read an x2 that is none
  use.grid = {GridExtent{.fixed = static_cast<std::uint32_t>(divide_up(positions, tile))},
              GridExtent{.fixed = static_cast<std::uint32_t>(divide_up(row_groups, groups))}};
  return {.kernels = {std::move(use)}};
}

}  // namespace driftwood::graph

#include "graph/operations/conv2d.h"

#include <fmt/format.h>

#include "base/checked.h"

namespace driftwood::graph {

std::uint32_t convolution_columns(std::uint32_t taps, std::uint32_t channels) {
  return taps == 1 ? channels : taps * 4 * Shape{.c = channels}.slices();
}

namespace {

// Extent of the output along one axis.
std::uint32_t output_extent(const Operand& x, std::uint32_t repeated, std::uint32_t window, std::uint32_t before,
                            std::uint32_t after, const Conv2d& operation) {
  const std::uint64_t padded = std::uint64_t{repeated} + before + after;
  if (padded < window) {
    operation_error(Conv2d::name, fmt::format("the input {} has an extent of {} with its padding, less than the "
                                              "window's {}.",
                                              describe(x), padded, window));
  }
  return static_cast<std::uint32_t>((padded - window) / operation.stride + 1);
}

}  // namespace

std::vector<Shape> output_shapes(const Conv2d& operation, std::span<const Operand> inputs) {
  check_input_count(Conv2d::name, inputs, 2, 3);
  const Operand& x = inputs[0];
  const Operand& weights = inputs[1];
  if (operation.taps() == 0 || operation.stride == 0 || operation.upsample == 0) {
    operation_error(Conv2d::name,
                    fmt::format("a window of {} x {}, a stride of {} and an upsampling by {} are given; all must be at "
                                "least 1.",
                                operation.window_h, operation.window_w, operation.stride, operation.upsample));
  }
  if (operation.crop_bottom >= operation.upsample || operation.crop_right >= operation.upsample) {
    operation_error(Conv2d::name, fmt::format("{} rows and {} columns are left out of an upsampling by {}; both must "
                                              "be less than it.",
                                              operation.crop_bottom, operation.crop_right, operation.upsample));
  }
  if (x.shape.d != 1) operation_error(Conv2d::name, fmt::format("the input {} has a depth.", describe(x)));
  std::uint32_t channels = x.shape.c;
  if (inputs.size() == 3) {
    Shape other = inputs[2].shape;
    other.c = x.shape.c;
    if (other != x.shape || x.shape.c % 4 != 0) {
      operation_error(Conv2d::name, fmt::format("the inputs {} and {} cannot be joined along the channels: their other "
                                                "axes must be equal and the first one's channels a multiple of 4.",
                                                describe(x), describe(inputs[2])));
    }
    channels += inputs[2].shape.c;
  }
  if (convolution_columns(operation.taps(), channels) != weights.shape.c) {
    operation_error(
        Conv2d::name,
        fmt::format("the input {} has {} channels and the window {} x {} taps, but the weights {} have {} "
                    "columns instead of {}.",
                    describe(x), channels, operation.window_h, operation.window_w, describe_weights(weights),
                    weights.shape.c, convolution_columns(operation.taps(), channels)));
  }
  Shape shape = x.shape;
  shape.h = output_extent(x, operation.repeated_h(x.shape), operation.window_h, operation.pad_top, operation.pad_bottom,
                          operation);
  shape.w = output_extent(x, operation.repeated_w(x.shape), operation.window_w, operation.pad_left, operation.pad_right,
                          operation);
  shape.c = weights.shape.w;
  return {shape};
}

}  // namespace driftwood::graph

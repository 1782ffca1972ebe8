// Two-dimensional convolution: (x {B, H, W, C}, weights [O x columns][, x2 {B, H, W, C2}]) -> {B, H', W', C = O}.
//
// The input is x, or x and x2 one after the other along the channels (a concatenation without a copy; C is then a
// multiple of 4). Its positions are repeated `upsample` times along H and W (nearest neighbour), then the last
// `crop_bottom` rows and `crop_right` columns of that are left out, then it is padded with zeros, then read at
// `stride`: a position beyond H * upsample - crop_bottom is padding. Weights are a matrix whose columns are the taps of
// the window, row by row, each with the channels of the input rounded up to a multiple of 4 (of a window of 1 x 1: just
// the channels); see WeightsSource::taps.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/operations/operand.h"

namespace driftwood::graph {

struct Conv2d {
  static constexpr std::string_view name = "conv2d";
  std::uint32_t window_h = 1, window_w = 1;
  std::uint32_t stride = 1;
  std::uint32_t pad_top = 0, pad_left = 0, pad_bottom = 0, pad_right = 0;  // zeros around the repeated input
  std::uint32_t upsample = 1;
  std::uint32_t crop_bottom = 0, crop_right = 0;  // of the repeated input; each less than `upsample`

  /// Extents of the input after repetition and cropping, without padding: what a kernel's bounds checks compare with.
  std::uint32_t repeated_h(const Shape& input) const { return input.h * upsample - crop_bottom; }
  std::uint32_t repeated_w(const Shape& input) const { return input.w * upsample - crop_right; }
  std::uint32_t taps() const { return window_h * window_w; }
  bool operator==(const Conv2d&) const = default;
};

/// Columns of the weights of a window over `channels` input channels.
std::uint32_t convolution_columns(std::uint32_t taps, std::uint32_t channels);

std::vector<Shape> output_shapes(const Conv2d&, std::span<const Operand> inputs);

}  // namespace driftwood::graph

// Two-dimensional convolution: (x {B, H, W, C}, weights [O x columns][, x2 {B, H, W, C2}]) -> {B, H', W', C = O}.
//
// The input is x, or x and x2 one after the other along the channels (a concatenation without a copy; C is then a
// multiple of 4). Its channels are repeated `upsample` times along H and W (nearest neighbour), then padded with zeros,
// then read at `stride`. Weights are a matrix whose columns are the taps of the window, row by row, each with the
// channels of the input rounded up to a multiple of 4 (of a window of 1 x 1: just the channels); see
// WeightsSource::taps.
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

  std::uint32_t taps() const { return window_h * window_w; }
  bool operator==(const Conv2d&) const = default;
};

/// Columns of the weights of a window over `channels` input channels.
std::uint32_t convolution_columns(std::uint32_t taps, std::uint32_t channels);

std::vector<Shape> output_shapes(const Conv2d&, std::span<const Operand> inputs);

}  // namespace driftwood::graph

// Logical extents of tensors. Every tensor has five axes, B H W D C; those that a tensor lacks are 1. Channels are
// cut in slices of four, S = ceil(C / 4), the last one padded with zeros.
#pragma once

#include <cstdint>
#include <string>

namespace driftwood {

struct Shape {
  std::uint32_t b = 1, h = 1, w = 1, d = 1, c = 1;

  std::uint32_t slices() const { return c / 4 + (c % 4 != 0); }
  std::uint64_t elements() const { return std::uint64_t{b} * h * w * d * c; }
  bool operator==(const Shape&) const = default;
};

/// "(1, 2, 3, 5)" as (b, h, w, c), or with five numbers as (b, h, w, d, c) where d is not 1.
std::string to_string(const Shape& shape);

/// Extents of convolution and fully-connected weights: O output channels, H W D of the window, I input channels.
struct WeightShape {
  std::uint32_t o = 1, h = 1, w = 1, d = 1, i = 1;

  std::uint32_t output_slices() const { return o / 4 + (o % 4 != 0); }
  std::uint32_t input_slices() const { return i / 4 + (i % 4 != 0); }
  std::uint64_t elements() const { return std::uint64_t{o} * h * w * d * i; }
  bool operator==(const WeightShape&) const = default;
};

/// "(5, 2, 1, 7)" as (o, h, w, i), or with five numbers as (o, h, w, d, i) where d is not 1.
std::string to_string(const WeightShape& shape);

}  // namespace driftwood

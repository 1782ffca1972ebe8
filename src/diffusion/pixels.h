// Between the orders and ranges of latents, pictures and tensors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "formats/png.h"

namespace driftwood::diffusion {

/// [channel][position] to [position][channel], and back.
std::vector<float> channels_last(std::span<const float> values, std::uint32_t channels);
std::vector<float> channels_first(std::span<const float> values, std::uint32_t channels);

/// Pixels [row][column][3] of about -1 to 1 as bytes: clamped, rounded to the nearest, halves to even.
RgbImage to_image(std::span<const float> pixels, std::uint32_t width, std::uint32_t height);
/// Bytes as [row][column][3] within -1 and 1.
std::vector<float> from_image(const RgbImage& image);

/// A picture of another size: each new pixel is the mean of what it covers, or between the nearest where it covers less
/// than one (a triangle filter as wide as the larger of both pixels). What does not have the new proportions is cropped
/// evenly on both sides first.
RgbImage resized(const RgbImage& image, std::uint32_t width, std::uint32_t height);

}  // namespace driftwood::diffusion

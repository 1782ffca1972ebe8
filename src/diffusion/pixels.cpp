#include "diffusion/pixels.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace driftwood::diffusion {

std::vector<float> channels_last(std::span<const float> values, std::uint32_t channels) {
  const std::size_t positions = values.size() / channels;
  std::vector<float> result(values.size());
  for (std::size_t c = 0; c < channels; ++c) {
    for (std::size_t p = 0; p < positions; ++p) result[p * channels + c] = values[c * positions + p];
  }
  return result;
}

std::vector<float> channels_first(std::span<const float> values, std::uint32_t channels) {
  const std::size_t positions = values.size() / channels;
  std::vector<float> result(values.size());
  for (std::size_t c = 0; c < channels; ++c) {
    for (std::size_t p = 0; p < positions; ++p) result[c * positions + p] = values[p * channels + c];
  }
  return result;
}

RgbImage to_image(std::span<const float> pixels, std::uint32_t width, std::uint32_t height) {
  RgbImage image{.width = width, .height = height, .rgb = std::vector<std::uint8_t>(pixels.size())};
  // A number less than 2^22 plus this is rounded to an integer, halves to even, which is its lower bits. Bits of floats
  // are in order as integers, so that what is outside is clamped there: several pixels an instruction.
  constexpr float rounder = 12582912.0F;
  constexpr auto zero = std::bit_cast<std::int32_t>(rounder), most = zero + 255;
  std::uint8_t* const bytes = image.rgb.data();  // a byte that is written could be a part of `image`, but not of this
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const auto bits = std::bit_cast<std::int32_t>(255 * (pixels[i] / 2 + 0.5F) + rounder);
    const std::int32_t above = bits > zero ? bits : zero;
    bytes[i] = static_cast<std::uint8_t>(above < most ? above : most);
  }
  return image;
}

std::vector<float> from_image(const RgbImage& image) {
  std::vector<float> pixels;
  pixels.reserve(image.rgb.size());
  for (const std::uint8_t byte : image.rgb) pixels.push_back(static_cast<float>(byte) / 127.5F - 1);
  return pixels;
}

namespace {

// The old pixels that a new one is made of, with their shares.
struct Taps {
  std::size_t first = 0;
  std::vector<double> weights;
};

// `old_extent` pixels from `offset` on become `extent`; taps stay within `limit` pixels.
std::vector<Taps> filter(double offset, double old_extent, std::uint32_t extent, std::uint32_t limit) {
  const double step = old_extent / extent, support = std::max(step, 1.0);
  std::vector<Taps> all;
  for (std::uint32_t i = 0; i < extent; ++i) {
    const double centre = offset + (i + 0.5) * step - 0.5;
    const auto first = static_cast<std::size_t>(std::max(0.0, std::ceil(centre - support)));
    const auto last = static_cast<std::size_t>(std::min(limit - 1.0, std::floor(centre + support)));
    Taps taps{.first = first, .weights = {}};
    double sum = 0;
    for (std::size_t k = first; k <= last; ++k) {
      taps.weights.push_back(std::max(0.0, 1 - std::abs(static_cast<double>(k) - centre) / support));
      sum += taps.weights.back();
    }
    for (double& weight : taps.weights) weight /= sum;
    all.push_back(std::move(taps));
  }
  return all;
}

}  // namespace

RgbImage resized(const RgbImage& image, std::uint32_t width, std::uint32_t height) {
  if (image.width == width && image.height == height) return image;
  const double scale = std::min(double{1} * image.width / width, double{1} * image.height / height);
  const double kept_width = scale * width, kept_height = scale * height;
  const auto columns = filter((image.width - kept_width) / 2, kept_width, width, image.width);
  const auto rows = filter((image.height - kept_height) / 2, kept_height, height, image.height);
  // Of the rows only those that are kept.
  const std::size_t top = rows.front().first, bottom = rows.back().first + rows.back().weights.size();
  std::vector<double> narrow(std::size_t{3} * width * (bottom - top));
  for (std::size_t y = top; y < bottom; ++y) {
    for (std::size_t x = 0; x < width; ++x) {
      for (std::size_t k = 0; k < columns[x].weights.size(); ++k) {
        for (std::size_t c = 0; c < 3; ++c) {
          narrow[((y - top) * width + x) * 3 + c] +=
              columns[x].weights[k] * image.rgb[(y * image.width + columns[x].first + k) * 3 + c];
        }
      }
    }
  }
  RgbImage result{.width = width, .height = height, .rgb = std::vector<std::uint8_t>(std::size_t{3} * width * height)};
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t i = 0; i < std::size_t{3} * width; ++i) {
      double sum = 0;
      for (std::size_t k = 0; k < rows[y].weights.size(); ++k) {
        sum += rows[y].weights[k] * narrow[(rows[y].first - top + k) * 3 * width + i];
      }
      result.rgb[y * 3 * width + i] = static_cast<std::uint8_t>(std::clamp(std::nearbyint(sum), 0.0, 255.0));
    }
  }
  return result;
}

}  // namespace driftwood::diffusion

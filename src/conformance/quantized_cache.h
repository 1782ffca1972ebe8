// Caches in Q8_0 on the host: what graph/quantized_cache.h says, computed as kernels do.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "graph/quantized_cache.h"

namespace driftwood::conformance {

/// The words of rows of `channels` values.
inline std::vector<std::uint32_t> quantized_rows(std::uint32_t channels, std::span<const float> values) {
  std::vector<std::uint32_t> words;
  for (std::size_t row = 0; row < values.size(); row += channels) {
    for (std::uint32_t first = 0; first < channels; first += graph::cache_block_length) {
      float block[graph::cache_block_length] = {};
      std::copy_n(&values[row + first], std::min(graph::cache_block_length, channels - first), block);
      float largest = 0;
      for (const float value : block) largest = std::max(largest, std::abs(value));
      const bool is_zero = largest < 1e-30F;
      const float inverse = is_zero ? 0 : 127.0F / largest;
      for (std::uint32_t word = 0; word < 8; ++word) {
        std::uint32_t packed = 0;
        for (std::uint32_t i = 0; i < 4; ++i) {
          const auto q = static_cast<std::int32_t>(std::nearbyint(block[4 * word + i] * inverse));
          packed |= (static_cast<std::uint32_t>(q) & 0xFF) << (8 * i);
        }
        words.push_back(packed);
      }
      words.push_back(std::bit_cast<std::uint32_t>(is_zero ? 0.0F : largest * (1.0F / 127.0F)));
    }
  }
  return words;
}

/// Channels 0 to `count` of every row, which may be padding.
inline std::vector<float> dequantized_rows(std::uint32_t channels, std::span<const std::uint32_t> words,
                                           std::uint32_t count) {
  std::vector<float> values;
  const std::uint32_t row_words = graph::quantized_row_words(channels);
  for (std::size_t row = 0; row < words.size(); row += row_words) {
    for (std::uint32_t c = 0; c < count; ++c) {
      const std::uint32_t* const block =
          &words[row + std::size_t{c} / graph::cache_block_length * graph::cache_block_words];
      const auto q = static_cast<std::int8_t>(block[c % graph::cache_block_length / 4] >> (8 * (c % 4)) & 0xFF);
      values.push_back(static_cast<float>(q) * std::bit_cast<float>(block[8]));
    }
  }
  return values;
}

/// A cache of random values; scales that are no number from place `filled` on.
inline std::vector<std::uint32_t> random_cache(const Shape& shape, std::uint32_t filled, std::mt19937& random) {
  std::uniform_real_distribution<float> range(-2, 2);
  std::vector<float> values(shape.elements());
  for (float& value : values) value = range(random);
  std::vector<std::uint32_t> words = quantized_rows(shape.c, values);
  const std::uint32_t row_words = graph::quantized_row_words(shape.c);
  for (std::size_t i = 8; i < words.size(); i += graph::cache_block_words) {
    if (i / row_words % shape.w < filled) continue;
    words[i] = std::bit_cast<std::uint32_t>(std::numeric_limits<float>::quiet_NaN());
  }
  return words;
}

}  // namespace driftwood::conformance

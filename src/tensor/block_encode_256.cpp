// Superblocks: each group of 16 or 32 values gets the scale that a search finds best for it alone; these scales are
// then integers under the superblock's own, and values are quantized once more under the scales that came of it.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "base/error.h"
#include "base/half.h"
#include "tensor/block_bytes.h"
#include "tensor/block_encode.h"
#include "tensor/scale_search.h"

namespace driftwood {
namespace {

/// `largest` / `steps` as a half that is finite.
float superblock_scale(float largest, float steps) {
  const float scale = rounded_to_half(largest / steps);
  if (!std::isfinite(scale)) {
    throw InvalidInput("Values need a scale past 65504, the largest that the type holds.");
  }
  return scale;
}

void put_half(std::byte* at, float value) {
  const std::uint16_t half = float_to_half(value);
  std::memcpy(at, &half, sizeof half);
}

void add_bits(std::byte& at, std::uint32_t bits) { at |= static_cast<std::byte>(bits); }

// Q4_K and Q5_K: d and dmin, then six-bit scales and minima of eight groups; the layout is that of block_decode_256.
template <class Put>
void encode_with_minima(const float* values, std::int32_t levels, std::byte* block, const Put& put) {
  constexpr std::size_t groups = 8, group_length = 32;
  std::array<ScaleAndOffset, groups> found;
  float largest_scale = 0, largest_minimum = 0;
  for (std::size_t g = 0; g < groups; ++g) {
    found[g] = best_scale_and_offset(std::span(values + g * group_length, group_length), levels, true, unrounded);
    largest_scale = std::max(largest_scale, found[g].scale);
    largest_minimum = std::max(largest_minimum, -found[g].offset);
  }
  const float d = superblock_scale(largest_scale, 63), dmin = superblock_scale(largest_minimum, 63);
  put_half(block, d);
  put_half(block + 2, dmin);
  std::byte* const packed = block + 4;
  for (std::size_t g = 0; g < groups; ++g) {
    const auto scale = static_cast<std::uint32_t>(quantized(found[g].scale, d, 0, 63));
    const auto minimum = static_cast<std::uint32_t>(quantized(-found[g].offset, dmin, 0, 63));
    if (g < 4) {
      add_bits(packed[g], scale);
      add_bits(packed[g + 4], minimum);
    } else {
      add_bits(packed[g + 4], (scale & 15) | (minimum & 15) << 4);
      add_bits(packed[g - 4], scale >> 4 << 6);
      add_bits(packed[g], minimum >> 4 << 6);
    }
    const float group_scale = d * static_cast<float>(scale), group_minimum = dmin * static_cast<float>(minimum);
    for (std::size_t i = g * group_length; i < (g + 1) * group_length; ++i) {
      put(i, static_cast<std::uint32_t>(quantized(values[i] + group_minimum, group_scale, 0, levels - 1)));
    }
  }
}

// Four bits a value: of each 64 values, the first 32 are the low nibbles and the next 32 the high ones.
void put_four_bits(std::byte* quants, std::size_t i, std::uint32_t quant) {
  add_bits(quants[i / 64 * 32 + i % 32], (quant & 15) << (i / 32 % 2 * 4));
}

}  // namespace

void encode_block_q4_k(const float* values, std::byte* block) {
  std::fill_n(block, 144, std::byte{});
  encode_with_minima(values, 16, block,
                     [&](std::size_t i, std::uint32_t quant) { put_four_bits(block + 16, i, quant); });
}

void encode_block_q5_k(const float* values, std::byte* block) {
  std::fill_n(block, 176, std::byte{});
  encode_with_minima(values, 32, block, [&](std::size_t i, std::uint32_t quant) {
    put_four_bits(block + 48, i, quant);
    add_bits(block[16 + i % 32], quant >> 4 << (i / 32));
  });
}

void encode_block_q6_k(const float* values, std::byte* block) {
  constexpr std::size_t groups = 16, group_length = 16;
  std::fill_n(block, 210, std::byte{});
  std::array<float, groups> scales;
  float largest = 0, extreme = 0;
  for (std::size_t g = 0; g < groups; ++g) {
    scales[g] = best_scale(std::span(values + g * group_length, group_length), -32, 31, 0.9F, unrounded);
    if (std::abs(scales[g]) > largest) {
      largest = std::abs(scales[g]);
      extreme = scales[g];
    }
  }
  const float d = superblock_scale(extreme, -128);
  put_half(block + 208, d);
  for (std::size_t g = 0; g < groups; ++g) {
    const std::int32_t scale = quantized(scales[g], d, -128, 127);
    block[192 + g] = static_cast<std::byte>(scale);
    for (std::size_t i = g * group_length; i < (g + 1) * group_length; ++i) {
      const auto quant = static_cast<std::uint32_t>(quantized(values[i], d * static_cast<float>(scale), -32, 31) + 32);
      const std::size_t half = i / 128, plane = i / 32 % 4;
      add_bits(block[half * 64 + plane % 2 * 32 + i % 32], (quant & 15) << (plane / 2 * 4));
      add_bits(block[128 + half * 32 + i % 32], quant >> 4 << (plane * 2));
    }
  }
}

}  // namespace driftwood

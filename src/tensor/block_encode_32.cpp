#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "base/half.h"
#include "tensor/block_bytes.h"
#include "tensor/block_encode.h"
#include "tensor/block_tables.h"
#include "tensor/scale_search.h"

namespace driftwood {
namespace {

constexpr std::size_t block_length = 32;
using Block = std::span<const float, block_length>;

void put_half(std::byte* at, float value) {
  const std::uint16_t half = float_to_half(value);
  std::memcpy(at, &half, sizeof half);
}

// Byte j of 16 gets value j in its low nibble and value j + 16 in its high one; `quant_of` gives all bits of a value,
// of which the fifth go into a word where there is one.
template <class QuantOf>
std::uint32_t put_nibbles(std::byte* at, const QuantOf& quant_of) {
  std::uint32_t fifth_bits = 0;
  for (std::size_t j = 0; j < block_length / 2; ++j) {
    const std::uint32_t low = quant_of(j), high = quant_of(j + 16);
    at[j] = static_cast<std::byte>((low & 15) | (high & 15) << 4);
    fifth_bits |= low >> 4 << j | high >> 4 << (j + 16);
  }
  return fifth_bits;
}

// The share of a block's range that scales of four and five bits are tried down to.
constexpr float finest_of_block = 0.7F;

// value = scale * (q - zero), q in [0, 2 zero)
std::uint32_t put_signed(const float* values, std::int32_t zero, std::byte* scale_at, std::byte* nibbles_at) {
  const float scale = best_scale(Block(values, block_length), -zero, zero - 1, finest_of_block, rounded_to_half);
  put_half(scale_at, scale);
  return put_nibbles(nibbles_at, [&](std::size_t i) {
    return static_cast<std::uint32_t>(quantized(values[i], scale, -zero, zero - 1) + zero);
  });
}

// value = scale * q + minimum
std::uint32_t put_unsigned(const float* values, std::int32_t levels, std::byte* block, std::byte* nibbles_at) {
  const auto [scale, minimum] = best_scale_and_offset(Block(values, block_length), levels, false, rounded_to_half);
  put_half(block, scale);
  put_half(block + 2, minimum);
  return put_nibbles(nibbles_at, [&](std::size_t i) {
    return static_cast<std::uint32_t>(quantized(values[i] - minimum, scale, 0, levels - 1));
  });
}

// The nibble of MXFP4's level nearest to value / scale: levels 0 to 7 are ascending, bit 3 is the sign.
std::uint32_t nearest_e2m1(float value, float scale) {
  constexpr std::span<const std::int8_t> magnitudes = std::span(doubled_e2m1).first<8>();
  const std::uint32_t level = nearest_level(std::abs(value), scale, magnitudes);
  return level | (value < 0 && level > 0 ? 8U : 0U);
}

}  // namespace

void encode_block_q4_0(const float* values, std::byte* block) { put_signed(values, 8, block, block + 2); }

void encode_block_q4_1(const float* values, std::byte* block) { put_unsigned(values, 16, block, block + 4); }

void encode_block_q5_0(const float* values, std::byte* block) {
  const std::uint32_t fifth_bits = put_signed(values, 16, block, block + 6);
  std::memcpy(block + 2, &fifth_bits, sizeof fifth_bits);
}

void encode_block_q5_1(const float* values, std::byte* block) {
  const std::uint32_t fifth_bits = put_unsigned(values, 32, block, block + 8);
  std::memcpy(block + 4, &fifth_bits, sizeof fifth_bits);
}

void encode_block_q8_0(const float* values, std::byte* block) {
  const float scale = best_scale(Block(values, block_length), -127, 127, 0.98F, rounded_to_half);
  put_half(block, scale);
  for (std::size_t i = 0; i < block_length; ++i) {
    block[2 + i] = static_cast<std::byte>(quantized(values[i], scale, -127, 127));
  }
}

void encode_block_iq4_nl(const float* values, std::byte* block) {
  const float scale = best_table_scale(Block(values, block_length), iq4_nl_values, rounded_to_half);
  put_half(block, scale);
  put_nibbles(block + 2, [&](std::size_t i) { return nearest_level(values[i], scale, iq4_nl_values); });
}

void encode_block_mxfp4(const float* values, std::byte* block) {
  float largest = 0;
  for (std::size_t i = 0; i < block_length; ++i) largest = std::max(largest, std::abs(values[i]));
  constexpr int largest_exponent = 252;  // past it, levels of 6 are no floats
  // The largest value has the largest exponent of E2M1, 2, or one more or less: whatever leaves the least error.
  const int middle = largest > 0 ? std::ilogb(largest) - 2 + 127 : 0;
  std::uint32_t best = 0;
  double best_error = INFINITY;
  for (int exponent = middle - 1; exponent <= middle + 1; ++exponent) {
    const auto e = static_cast<std::uint32_t>(std::clamp(exponent, 0, largest_exponent));
    const float scale = halved_e8m0(e);
    double error = 0;
    for (std::size_t i = 0; i < block_length; ++i) {
      const float level = static_cast<float>(doubled_e2m1[nearest_e2m1(values[i], scale)]);
      const double difference =
          static_cast<double>(values[i]) - static_cast<double>(level) * static_cast<double>(scale);
      error += difference * difference;
    }
    if (error >= best_error) continue;
    best_error = error;
    best = e;
  }
  block[0] = static_cast<std::byte>(best);
  put_nibbles(block + 1, [&](std::size_t i) { return nearest_e2m1(values[i], halved_e8m0(best)); });
}

}  // namespace driftwood

// IEEE 754 binary16 and bfloat16 as bit patterns, converted to and from float with round to nearest even.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace driftwood {

/// The float that the binary16 bit pattern `bits` stands for (subnormals, infinities and NaN included). Neither here
/// nor below does a choice decide whether an operation on floats is needed: a compiler that does none without need
/// makes branches of such, and not code that converts several an instruction.
inline float half_to_float(std::uint16_t bits) {
  const std::uint32_t magnitude = bits & 0x7fffu, shifted = magnitude << 13;
  // Subnormals as the integers that they count, so that no subnormal float is an operand: threads that take such for
  // zero give the same.
  const float counted = static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24F;
  const std::uint32_t is_subnormal = magnitude < 0x400u ? 0xffffffffu : 0u;
  const std::uint32_t normal = shifted + (112u << 23);                   // the exponents' biases differ by 112
  const std::uint32_t endless = magnitude >= 0x7c00u ? 112u << 23 : 0u;  // infinities and NaN
  const std::uint32_t size = (std::bit_cast<std::uint32_t>(counted) & is_subnormal) | (normal & ~is_subnormal);
  return std::bit_cast<float>((size + endless) | (bits & 0x8000u) << 16);
}

/// The binary16 bit pattern nearest to `value`; values past 65504 become infinity, NaN stays NaN.
inline std::uint16_t float_to_half(float value) {
  constexpr std::int32_t smallest_normal = 113 << 23, past_largest = 143 << 23, infinity = 255 << 23;
  const std::int32_t bits = std::bit_cast<std::int32_t>(value);
  const std::int32_t magnitude = bits & 0x7fffffff;
  const std::int32_t bounded = magnitude < past_largest ? magnitude : past_largest;
  const std::int32_t own = bounded & infinity;  // the exponent, no less than that of subnormals
  const std::int32_t exponent = own < smallest_normal ? smallest_normal : own;
  // The last place of this power of two is that of the half: addition rounds to it, and counts how many there are.
  const std::int32_t unit = exponent + (13 << 23);
  const float sum = std::bit_cast<float>(bounded) + std::bit_cast<float>(unit);
  const std::int32_t places = std::bit_cast<std::int32_t>(sum) - unit;
  const std::int32_t half = places + ((exponent - smallest_normal) >> 13);
  const std::int32_t nan = (infinity - magnitude) >> 31 & 0x200;
  return static_cast<std::uint16_t>((bits >> 16 & 0x8000) | half | nan);
}

/// The same of many. `to` has room for all of `from`.
inline void halves_to_floats(std::span<const std::uint16_t> from, float* to) {
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = half_to_float(from[i]);
}
inline void floats_to_halves(std::span<const float> from, std::uint16_t* to) {
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = float_to_half(from[i]);
}

/// The float that the bfloat16 bit pattern `bits` stands for.
float bfloat16_to_float(std::uint16_t bits);

/// The bfloat16 bit pattern nearest to `value`.
std::uint16_t float_to_bfloat16(float value);

}  // namespace driftwood

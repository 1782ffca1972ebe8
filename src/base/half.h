// IEEE 754 binary16 and bfloat16 as bit patterns, converted to and from float with round to nearest even.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace driftwood {

/// The float that the binary16 bit pattern `bits` stands for (subnormals, infinities and NaN included). Without
/// branches, so that a loop converts several an instruction.
inline float half_to_float(std::uint16_t bits) {
  const std::uint32_t shifted = (bits & 0x7fffu) << 13;
  // Subnormals: float subtraction takes away the leading one that they do not have.
  const float subnormal = std::bit_cast<float>(shifted + (113u << 23)) - std::bit_cast<float>(113u << 23);
  std::uint32_t magnitude = shifted < (1u << 23) ? std::bit_cast<std::uint32_t>(subnormal) : shifted + (112u << 23);
  magnitude += shifted >= (31u << 23) ? 112u << 23 : 0u;  // infinities and NaN
  return std::bit_cast<float>(magnitude | (bits & 0x8000u) << 16);
}

/// The binary16 bit pattern nearest to `value`; values past 65504 become infinity, NaN stays NaN. Without branches too.
inline std::uint16_t float_to_half(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  const bool is_subnormal = magnitude < 0x38800000u;  // or zero: float addition does the rounding
  const float shifted = std::bit_cast<float>(is_subnormal ? magnitude : 0u) + std::bit_cast<float>(0x3f000000u);
  const std::uint32_t odd = (magnitude >> 13) & 1u;
  std::uint32_t half = is_subnormal ? std::bit_cast<std::uint32_t>(shifted) - 0x3f000000u
                                    : (magnitude - 0x38000000u + 0xfffu + odd) >> 13;
  half = magnitude >= 0x477ff000u ? 0x7c00u : half;  // rounds past 65504
  half = magnitude > 0x7f800000u ? 0x7e00u : half;
  return static_cast<std::uint16_t>((bits >> 16 & 0x8000u) | half);
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

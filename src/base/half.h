// IEEE 754 binary16 and bfloat16 as bit patterns, converted to and from float with round to nearest even.
#pragma once

#include <cstdint>

namespace driftwood {

/// The float that the binary16 bit pattern `bits` stands for (subnormals, infinities and NaN included).
float half_to_float(std::uint16_t bits);

/// The binary16 bit pattern nearest to `value`; values past 65504 become infinity, NaN stays NaN.
std::uint16_t float_to_half(float value);

/// The float that the bfloat16 bit pattern `bits` stands for.
float bfloat16_to_float(std::uint16_t bits);

/// The bfloat16 bit pattern nearest to `value`.
std::uint16_t float_to_bfloat16(float value);

}  // namespace driftwood

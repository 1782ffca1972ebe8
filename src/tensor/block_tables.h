// The levels of four-bit formats that are no integers in a row, by nibble.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace driftwood {

/// IQ4_NL: denser around zero, as the weights of models are. In ascending order.
inline constexpr std::array<std::int8_t, 16> iq4_nl_values = {-127, -104, -83, -65, -49, -35, -22, -10,
                                                              1,    13,   25,  38,  53,  69,  89,  113};

/// MXFP4: twice the values of E2M1, the four-bit float of the OCP microscaling formats; bit 3 is the sign.
inline constexpr std::array<std::int8_t, 16> doubled_e2m1 = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

/// Half of the E8M0 scale 2^(e - 127), for the doubled values: 2^(e - 128), subnormal where e < 2.
inline float halved_e8m0(std::uint32_t exponent) {
  return std::bit_cast<float>(exponent < 2 ? 0x00200000U << exponent : (exponent - 1) << 23);
}

}  // namespace driftwood

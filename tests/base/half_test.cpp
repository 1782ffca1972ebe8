#include "base/half.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace driftwood {
namespace {

TEST(Half, EveryBitPatternSurvivesTheRoundTrip) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = half_to_float(static_cast<std::uint16_t>(bits));
    if (std::isnan(value)) continue;
    EXPECT_EQ(float_to_half(value), bits) << value;
  }
}

TEST(Half, StandsForItsSignExponentAndMantissa) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const int exponent = static_cast<int>(bits >> 10 & 0x1f);
    const double mantissa = bits & 0x3ff;
    const double size = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
    const float value = half_to_float(static_cast<std::uint16_t>(bits));
    EXPECT_EQ(std::signbit(value), bits >= 0x8000) << bits;
    if (exponent < 0x1f) {
      EXPECT_EQ(std::abs(value), size) << bits;
    } else {
      EXPECT_TRUE(mantissa == 0 ? std::isinf(value) : std::isnan(value)) << bits;
    }
  }
}

#if defined(__SSE2__)
// As programs run that are linked with -ffast-math.
TEST(Half, IsTheSameWhereSubnormalFloatsAreTakenForZero) {
  std::vector<std::uint16_t> halves(0x10000);
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) halves[bits] = static_cast<std::uint16_t>(bits);
  std::vector<float> usual(halves.size()), floats(halves.size());
  halves_to_floats(halves, usual.data());
  std::vector<std::uint16_t> back(halves.size()), usual_back(halves.size());
  floats_to_halves(usual, usual_back.data());
  constexpr unsigned are_zero = 0x8040;
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | are_zero);
  halves_to_floats(halves, floats.data());
  floats_to_halves(usual, back.data());
  const std::uint16_t tiny = float_to_half(std::bit_cast<float>(1U));
  _mm_setcsr(before);
  EXPECT_EQ(std::memcmp(usual.data(), floats.data(), usual.size() * sizeof(float)), 0);
  EXPECT_EQ(usual_back, back);
  EXPECT_EQ(tiny, 0);
}
#endif

TEST(Half, ManyAreConvertedAsOneIs) {
  std::vector<std::uint16_t> halves(0x10000);
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) halves[bits] = static_cast<std::uint16_t>(bits);
  std::vector<float> floats(halves.size());
  halves_to_floats(halves, floats.data());
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    EXPECT_EQ(std::bit_cast<std::uint32_t>(floats[bits]), std::bit_cast<std::uint32_t>(half_to_float(halves[bits])));
  }
  // Each half, what lies between it and the next, and all that no half is near.
  std::vector<float> others;
  for (std::uint32_t bits = 0; bits < 0x80000000u; bits += 0x5ffu) {
    others.push_back(std::bit_cast<float>(bits));
    others.push_back(std::bit_cast<float>(bits | 0x80000000u));
  }
  std::vector<std::uint16_t> rounded(others.size());
  floats_to_halves(others, rounded.data());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < others.size(); ++i) wrong += rounded[i] != float_to_half(others[i]);
  EXPECT_EQ(wrong, 0U);
}

TEST(Half, RoundsToNearestEven) {
  EXPECT_EQ(float_to_half(1.0f + 1.0f / 2048), 0x3c00);  // halfway: to the even pattern below
  EXPECT_EQ(float_to_half(1.0f + 3.0f / 2048), 0x3c02);  // halfway: to the even pattern above
  EXPECT_EQ(float_to_half(65519.0f), 0x7bff);            // still 65504
  EXPECT_EQ(float_to_half(65520.0f), 0x7c00);            // infinity
  EXPECT_EQ(float_to_half(std::ldexp(1.0f, -25)), 0);    // halfway to the smallest subnormal
  EXPECT_EQ(float_to_half(std::ldexp(1.5f, -25)), 1);
  EXPECT_TRUE(std::isnan(half_to_float(float_to_half(std::numeric_limits<float>::quiet_NaN()))));
}

TEST(Half, BetweenAnyTwoTheNearerIsTakenAndOfEquallyNearTheEven) {
  const auto past = [](float value, float towards) { return float_to_half(std::nextafter(value, towards)); };
  for (std::uint16_t low = 0; low < 0x7bff; ++low) {
    const auto high = static_cast<std::uint16_t>(low + 1);
    const float a = half_to_float(low), b = half_to_float(high), middle = a + (b - a) / 2;  // exact
    ASSERT_EQ(float_to_half(middle), low % 2 == 0 ? low : high) << low;
    ASSERT_EQ(past(middle, a), low) << low;
    ASSERT_EQ(past(middle, b), high) << low;
    ASSERT_EQ(float_to_half(-middle), 0x8000 | float_to_half(middle)) << low;
  }
}

TEST(Half, NansKeepTheirSignAndNothingElse) {
  for (const std::uint32_t nan : {0x7f800001u, 0x7fc00000u, 0x7fffffffu}) {
    EXPECT_EQ(float_to_half(std::bit_cast<float>(nan)), 0x7e00);
    EXPECT_EQ(float_to_half(std::bit_cast<float>(nan | 0x80000000u)), 0xfe00);
  }
  EXPECT_EQ(float_to_half(std::bit_cast<float>(1u)), 0);  // the smallest float
  EXPECT_EQ(float_to_half(-std::numeric_limits<float>::infinity()), 0xfc00);
}

TEST(Bfloat16, RoundsToNearestEven) {
  EXPECT_EQ(float_to_bfloat16(1.0f), 0x3f80);
  EXPECT_EQ(float_to_bfloat16(std::bit_cast<float>(0x3f808000u)), 0x3f80);
  EXPECT_EQ(float_to_bfloat16(std::bit_cast<float>(0x3f818000u)), 0x3f82);
  EXPECT_EQ(bfloat16_to_float(0xc000), -2.0f);
}

}  // namespace
}  // namespace driftwood

#include "diffusion/timestep_embedding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/error.h"

namespace driftwood::diffusion {
namespace {

std::vector<float> embed(float timestep, std::size_t channels, const TimestepEmbedding& settings = {}) {
  std::vector<float> result(channels, -7);
  embed_timestep(timestep, result, settings);
  return result;
}

// The definition in double precision: float32 is off by at most the timestep times a rounding of the frequency.
double frequency(std::size_t i, double half, double shift) {
  return std::pow(10000.0, -static_cast<double>(i) / (half - shift));
}

TEST(TimestepEmbedding, CosinesThenSinesOfFallingFrequencies) {
  for (const float timestep : {0.0F, 1.0F, 333.5F, 999.0F}) {
    const auto values = embed(timestep, 320);
    for (std::size_t i = 0; i < 160; ++i) {
      const double angle = timestep * frequency(i, 160, 0);
      EXPECT_NEAR(values[i], std::cos(angle), 1e-6 + 3e-7 * timestep) << i;
      EXPECT_NEAR(values[160 + i], std::sin(angle), 1e-6 + 3e-7 * timestep) << i;
    }
  }
}

// Every operation on its own in float32, in the order that diffusers has them.
TEST(TimestepEmbedding, RoundsAsFloat32Does) {
  const auto values = embed(999, 320);
  for (std::size_t i = 0; i < 160; ++i) {
    float exponent = -9.210340371976184F * static_cast<float>(i);
    exponent = exponent / 160.0F;
    const float angle = 999.0F * std::exp(exponent);
    EXPECT_FLOAT_EQ(values[i], std::cos(angle)) << i;
    EXPECT_FLOAT_EQ(values[160 + i], std::sin(angle)) << i;
  }
}

TEST(TimestepEmbedding, SinesFirstAndShifted) {
  const auto values = embed(10, 8, {.flip_sin_to_cos = false, .freq_shift = 1});
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(values[i], std::sin(10 * frequency(i, 4, 1)), 1e-5);
    EXPECT_NEAR(values[4 + i], std::cos(10 * frequency(i, 4, 1)), 1e-5);
  }
}

TEST(TimestepEmbedding, AnOddChannelIsZero) {
  const auto values = embed(10, 9);
  EXPECT_EQ(values[8], 0);
  EXPECT_EQ(std::vector(values.begin(), values.begin() + 8), embed(10, 8));
}

TEST(TimestepEmbedding, RefusesWhatHasNoFrequencies) {
  EXPECT_THROW(embed(1, 0), InvalidInput);
  EXPECT_THROW(embed(1, 1), InvalidInput);
  EXPECT_THROW(embed(1, 2, {.freq_shift = 1}), InvalidInput);
  EXPECT_THROW(embed(1, 8, {.freq_shift = std::numeric_limits<float>::quiet_NaN()}), InvalidInput);
  EXPECT_THROW(embed(std::numeric_limits<float>::infinity(), 8), InvalidInput);
}

}  // namespace
}  // namespace driftwood::diffusion

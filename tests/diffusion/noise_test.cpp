#include "diffusion/noise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace driftwood::diffusion {
namespace {

using ::testing::ElementsAre;

std::vector<float> draw(std::uint64_t seed, std::uint64_t stream, std::size_t count) {
  std::vector<float> values(count);
  NoiseSource(seed, stream).fill(values);
  return values;
}

// The known answers that come with Random123, file kat_vectors.
TEST(Philox, KnownAnswers) {
  EXPECT_THAT(philox({0, 0, 0, 0}, {0, 0}), ElementsAre(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
  constexpr std::uint32_t ones = 0xffffffff;
  EXPECT_THAT(philox({ones, ones, ones, ones}, {ones, ones}),
              ElementsAre(0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd));
  EXPECT_THAT(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
              ElementsAre(0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1));
}

// From the first known answer by the formula, so that pictures of a seed stay what they are.
TEST(NoiseSource, FirstNumbersOfSeedZero) {
  const auto radius = [](double word) { return std::sqrt(-2 * std::log((word + 0.5) / 4294967296.0)); };
  const auto turn = [](double word) { return 2 * 3.14159265358979323846 * word / 4294967296.0; };
  const std::vector<float> values = draw(0, 0, 4);
  EXPECT_FLOAT_EQ(values[0], static_cast<float>(radius(0x6627e8d5) * std::cos(turn(0xe169c58d))));
  EXPECT_FLOAT_EQ(values[1], static_cast<float>(radius(0x6627e8d5) * std::sin(turn(0xe169c58d))));
  EXPECT_FLOAT_EQ(values[2], static_cast<float>(radius(0xbc57ac4c) * std::cos(turn(0x9b00dbd8))));
  EXPECT_FLOAT_EQ(values[3], static_cast<float>(radius(0xbc57ac4c) * std::sin(turn(0x9b00dbd8))));
}

TEST(NoiseSource, PartsAreTheWhole) {
  const std::vector<float> whole = draw(7, 1, 1000);
  NoiseSource source(7, 1);
  std::vector<float> parts;
  for (const std::size_t count : {1u, 2u, 3u, 4u, 5u, 0u, 985u}) {
    std::vector<float> part(count);
    source.fill(part);
    parts.insert(parts.end(), part.begin(), part.end());
  }
  EXPECT_EQ(parts, whole);
}

TEST(NoiseSource, IsStandardNormal) {
  constexpr std::size_t count = 1'000'000;
  const std::vector<float> values = draw(42, 0, count);
  double moments[5] = {};
  std::size_t within_one = 0, within_three = 0;
  for (const double value : values) {
    for (int power = 1; power < 5; ++power) moments[power] += std::pow(value, power) / count;
    within_one += std::abs(value) < 1;
    within_three += std::abs(value) < 3;
  }
  EXPECT_NEAR(moments[1], 0, 5e-3);
  EXPECT_NEAR(moments[2], 1, 7e-3);
  EXPECT_NEAR(moments[3], 0, 2e-2);
  EXPECT_NEAR(moments[4], 3, 5e-2);
  EXPECT_NEAR(static_cast<double>(within_one) / count, 0.6827, 3e-3);
  EXPECT_NEAR(static_cast<double>(within_three) / count, 0.9973, 3e-4);
  EXPECT_GT(*std::ranges::max_element(values), 4.2F);
}

TEST(NoiseSource, StreamsAndSeedsAreUnrelated) {
  constexpr std::size_t count = 100'000;
  const std::vector<float> base = draw(5, 0, count);
  const std::pair<std::uint64_t, std::uint64_t> others[] = {
      {5, 1}, {6, 0}, {5, std::uint64_t{1} << 32}, {5 + (std::uint64_t{1} << 32), 0}};
  for (const auto& [seed, stream] : others) {
    const std::vector<float> other = draw(seed, stream, count);
    double correlation = 0;
    for (std::size_t i = 0; i < count; ++i) correlation += base[i] * other[i] / static_cast<double>(count);
    EXPECT_NEAR(correlation, 0, 0.02);
  }
}

TEST(NoiseSource, BlocksDoNotRepeat) {
  std::set<std::array<std::uint32_t, 4>> seen;
  for (std::uint32_t block = 0; block < 50'000; ++block) {
    EXPECT_TRUE(seen.insert(philox({block, 0, 0, 0}, {1, 0})).second);
    EXPECT_TRUE(seen.insert(philox({block, 0, 1, 0}, {1, 0})).second);
  }
}

}  // namespace
}  // namespace driftwood::diffusion

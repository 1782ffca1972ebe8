#include "llm/sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "base/error.h"

namespace driftwood::llm {
namespace {

const std::vector<float> logits = {0.0F, 1.0F, 3.0F, 2.0F, -1.0F};

std::map<std::int32_t, int> draw(SamplerSettings settings, int count) {
  settings.seed = 7;
  Sampler sampler(settings);
  std::map<std::int32_t, int> counts;
  for (int i = 0; i < count; ++i) ++counts[sampler.sample(logits)];
  return counts;
}

constexpr SamplerSettings plain{.temperature = 1, .top_k = 0, .top_p = 1, .min_p = 0};

TEST(Sampler, GreedyTakesTheLargestAndTheSmallerIdOfEquals) {
  Sampler sampler({.temperature = 0});
  EXPECT_EQ(sampler.sample(logits), 2);
  EXPECT_EQ(sampler.sample(std::vector<float>{1, 5, 5}), 1);
}

TEST(Sampler, DrawsFollowTheSoftmax) {
  const auto counts = draw(plain, 20000);
  double total = 0;
  for (const float logit : logits) total += std::exp(logit);
  for (std::size_t i = 0; i < logits.size(); ++i)
    EXPECT_NEAR(counts.at(static_cast<std::int32_t>(i)) / 20000.0, std::exp(logits[i]) / total, 0.01);
}

TEST(Sampler, TheSameSeedGivesTheSameDraws) {
  Sampler a({.seed = 42}), b({.seed = 42});
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.sample(logits), b.sample(logits));
}

TEST(Sampler, TopKKeepsTheLikeliest) {
  SamplerSettings settings = plain;
  settings.top_k = 2;
  const auto counts = draw(settings, 2000);
  EXPECT_EQ(counts.size(), 2u);
  EXPECT_TRUE(counts.contains(2) && counts.contains(3));
}

TEST(Sampler, TopPKeepsTheFewestThatReachIt) {
  // Probabilities: 0.64, 0.24, 0.09, 0.03, 0.01 in order of size.
  SamplerSettings settings = plain;
  settings.top_p = 0.6F;
  EXPECT_EQ(draw(settings, 1000).size(), 1u);
  settings.top_p = 0.7F;
  EXPECT_EQ(draw(settings, 1000).size(), 2u);
}

TEST(Sampler, MinPIsRelativeToTheLikeliest) {
  SamplerSettings settings = plain;
  settings.min_p = 0.2F;  // e^-1 = 0.37 stays, e^-2 = 0.14 goes
  EXPECT_EQ(draw(settings, 1000).size(), 2u);
}

TEST(Sampler, RepetitionPenaltyDividesPositiveAndMultipliesNegativeLogits) {
  Sampler sampler({.temperature = 0, .repeat_penalty = 2});
  sampler.accept(2);
  EXPECT_EQ(sampler.sample(logits), 3);  // 3 / 2 < 2
  Sampler negative({.temperature = 0, .repeat_penalty = 2});
  negative.accept(1);
  EXPECT_EQ(negative.sample(std::vector<float>{-1.5F, -1.0F}), 0);  // -1 * 2 < -1.5
}

TEST(Sampler, InfinitiesAndNansDoNoHarm) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  Sampler sampler(plain);
  EXPECT_EQ(sampler.sample(std::vector<float>{1, infinity, 2}), 1);
  EXPECT_EQ(sampler.sample(std::vector<float>{-infinity, 3, std::nanf("")}), 1);
  EXPECT_THROW(sampler.sample(std::vector<float>{std::nanf(""), std::nanf("")}), InvalidInput);
}

TEST(Sampler, RefusesSettingsOutsideTheirLimits) {
  EXPECT_THROW(Sampler({.temperature = -1}), InvalidInput);
  EXPECT_THROW(Sampler({.temperature = std::nanf("")}), InvalidInput);
  EXPECT_THROW(Sampler({.top_p = 0}), InvalidInput);
  EXPECT_THROW(Sampler({.top_p = 1.5F}), InvalidInput);
  EXPECT_THROW(Sampler({.min_p = -0.1F}), InvalidInput);
  EXPECT_THROW(Sampler({.repeat_penalty = 0}), InvalidInput);
}

}  // namespace
}  // namespace driftwood::llm

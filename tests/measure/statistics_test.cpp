#include "measure/statistics.h"

#include <gtest/gtest.h>

namespace driftwood::measure {
namespace {

TEST(Statistics, MedianAndQuantiles) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({4, 1, 3}), 3);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(quantile({5, 1, 2, 4, 3}, 0.25), 2);
  EXPECT_EQ(quantile({1, 2}, 1), 2);
  EXPECT_EQ(relative_spread({5, 1, 2, 4, 3}), 1.0 / 3);
  EXPECT_EQ(relative_spread({0, 0}), 0);
}

TEST(Statistics, IntervalsAreThoseOfTheSignTest) {
  // Of ten values the second from either end hold the median with 1 - 2 (1 + 10) / 1024.
  const Interval ten = median_interval({10, 9, 8, 7, 6, 5, 4, 3, 2, 1});
  EXPECT_EQ(ten.low, 2);
  EXPECT_EQ(ten.high, 9);
  EXPECT_NEAR(ten.confidence, 1 - 22.0 / 1024, 1e-12);
  // Six are the fewest that reach 95 %, by all of them; of three it is less.
  const Interval six = median_interval({6, 5, 4, 3, 2, 1});
  EXPECT_EQ(six.low, 1);
  EXPECT_EQ(six.high, 6);
  EXPECT_NEAR(six.confidence, 1 - 2.0 / 64, 1e-12);
  EXPECT_NEAR(median_interval({1, 2, 3}).confidence, 0.75, 1e-12);
  EXPECT_EQ(median_interval({7}), (Interval{7, 7, 0}));
  EXPECT_EQ(median_interval({}), Interval{});
}

}  // namespace
}  // namespace driftwood::measure

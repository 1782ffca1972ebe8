#include "llm/log_sum_exp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace driftwood::llm {
namespace {

TEST(LogSumExp, OfEqualLogitsAddsTheLogOfTheirNumber) {
  EXPECT_DOUBLE_EQ(log_sum_exp(std::vector<float>{3, 3, 3, 3}), 3 + std::log(4.0));
}

TEST(LogSumExp, LargeLogitsDoNotOverflow) {
  EXPECT_DOUBLE_EQ(log_sum_exp(std::vector<float>{1000, 999}), 1000 + std::log1p(std::exp(-1.0)));
  EXPECT_DOUBLE_EQ(log_sum_exp(std::vector<float>{-1000}), -1000);
}

}  // namespace
}  // namespace driftwood::llm

// Work of kernels as profiles count it.
#include <gtest/gtest.h>

#include <algorithm>

#include "graph/selection.h"

namespace driftwood::graph {
namespace {

TEST(Cost, AttentionGrowsWithWhatATokenLooksAt) {
  const Cost all{
      .flops_per_token = 100, .fixed_bytes = 7, .bytes_per_token = 10, .flops_per_pair = 1, .bytes_per_place = 2};
  EXPECT_EQ(all.flops({.tokens = 3, .position = 2}), 300 + 3 + 4 + 5);
  EXPECT_EQ(all.bytes({.tokens = 3, .position = 2}), 7 + 30 + 10);
  for (const std::uint32_t window : {1U, 2U, 4U, 5U, 8U}) {
    const Cost windowed{.flops_per_pair = 1, .bytes_per_place = 1, .window = window};
    for (const std::uint32_t position : {0U, 1U, 3U, 4U, 9U}) {
      for (const std::uint32_t tokens : {1U, 3U, 6U}) {
        double pairs = 0;
        for (std::uint32_t i = 0; i < tokens; ++i) pairs += std::min(window, position + i + 1);
        EXPECT_EQ(windowed.flops({.tokens = tokens, .position = position}), pairs) << window << " " << position;
        EXPECT_EQ(windowed.bytes({.tokens = tokens, .position = position}),
                  std::min(position + tokens, window + tokens - 1));
      }
    }
  }
}

}  // namespace
}  // namespace driftwood::graph

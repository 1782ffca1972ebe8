#include "diffusion/vae_tiling.h"

#include <gtest/gtest.h>

#include <cmath>

namespace driftwood::diffusion {
namespace {

constexpr VaeTiling tiling = {};

TEST(VaeTiling, OneTileWhereItIsLargeEnough) {
  EXPECT_EQ(tile_starts(1, tiling), (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(tile_starts(32, tiling), (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(tile_weights(20, 8, tiling), (std::vector<std::vector<float>>{std::vector<float>(160, 1.0F)}));
}

TEST(VaeTiling, TilesCoverTheAxisAndOverlapEnough) {
  EXPECT_EQ(tile_starts(33, tiling), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(tile_starts(64, tiling), (std::vector<std::uint32_t>{0, 16, 32}));
  for (std::uint32_t extent = 33; extent < 300; ++extent) {
    const auto starts = tile_starts(extent, tiling);
    EXPECT_EQ(starts.front(), 0u);
    EXPECT_EQ(starts.back() + tiling.tile, extent);
    for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
      ASSERT_GT(starts[i + 1], starts[i]) << extent;
      ASSERT_GE(starts[i] + tiling.tile, starts[i + 1] + tiling.overlap) << extent;
    }
  }
}

TEST(VaeTiling, SharesAddUpToOneAndMarginsCountNothing) {
  constexpr std::uint32_t scale = 8;
  for (const std::uint32_t extent : {33u, 40u, 52u, 53u, 64u, 96u, 129u}) {
    const auto starts = tile_starts(extent, tiling);
    const auto weights = tile_weights(extent, scale, tiling);
    std::vector<float> sums(std::size_t{extent} * scale, 0.0F);
    for (std::size_t i = 0; i < starts.size(); ++i) {
      for (std::size_t p = 0; p < weights[i].size(); ++p) sums[starts[i] * scale + p] += weights[i][p];
      EXPECT_EQ(weights[i].front(), i > 0 ? 0.0F : 1.0F) << extent;
      EXPECT_EQ(weights[i].back(), i + 1 < starts.size() ? 0.0F : 1.0F) << extent;
    }
    for (const float sum : sums) ASSERT_NEAR(sum, 1.0F, 1e-6F) << extent;
  }
}

TEST(VaeTiling, SharesChangeSlowly) {
  for (const auto& weights : tile_weights(64, 8, tiling)) {
    for (std::size_t p = 1; p < weights.size(); ++p) EXPECT_LT(std::abs(weights[p] - weights[p - 1]), 0.03F);
  }
}

}  // namespace
}  // namespace driftwood::diffusion

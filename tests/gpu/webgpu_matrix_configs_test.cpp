// What Dawn says of matrices, in both forms that it says it in.
#include <gtest/gtest.h>

#include <vector>

#include "gpu/webgpu/matrix_configs.h"

namespace driftwood::gpu::webgpu {
namespace {

using Config = std::vector<std::uint32_t>;

bool multiplies(const std::vector<Config>& configs) {
  std::vector<std::uint32_t> words;
  for (const Config& config : configs) words.insert(words.end(), config.begin(), config.end());
  DawnMatrixConfigs list;
  list.count = configs.size();
  list.words = words.data();
  return multiplies_our_matrices(list);
}

TEST(WebGpuMatrixConfigs, OfBothFormsAreRead) {
  const Config other = {2, 2, 16, 16, 16}, ours = {2, 1, 16, 16, 16}, small = {1, 1, 8, 8, 8},
               bytes = {6, 4, 16, 16, 32};
  EXPECT_FALSE(multiplies({}));
  EXPECT_TRUE(multiplies({ours}));
  EXPECT_TRUE(multiplies({small, bytes, other, ours}));
  EXPECT_FALSE(multiplies({small, bytes, other}));
  for (const Config& lanes : {Config{32, 32}, Config{8, 32}, Config{4, 4}}) {
    const auto with = [&](Config config) {
      config.insert(config.end(), lanes.begin(), lanes.end());
      return config;
    };
    EXPECT_TRUE(multiplies({with(ours)}));
    EXPECT_TRUE(multiplies({with(small), with(bytes), with(other), with(ours)}));
    EXPECT_FALSE(multiplies({with(small), with(bytes), with(other)}));
  }
}

}  // namespace
}  // namespace driftwood::gpu::webgpu

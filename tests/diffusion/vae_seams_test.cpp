// The seams of tiled decoding can't be seen: a trained VAE decodes the same latents in tiles and in one piece.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "diffusion/pipeline.h"
#include "diffusion/vae_tiling.h"
#include "support/devices.h"
#include "support/oracle.h"

namespace driftwood::diffusion {
namespace {

constexpr std::uint32_t side = 384;  // of the picture in tests/data/shapes-sd/latents_384.safetensors
constexpr float bytes = 127.5F;      // of a unit of the decoder's -1 to 1

std::vector<float> decoded(gpu::Device& device, const models::ImageCheckpoint& model, std::span<const float> latents,
                           bool tiled) {
  // With low_memory the decoder alone is loaded.
  return Pipeline(device, model, {.width = side, .height = side, .low_memory = true, .vae_tiling = tiled})
      .decode_floats(latents);
}

/// A step of the tiled picture that the other has not, by the line between x - 1 and x (rows or columns), in 1/255: the
/// mean of what lies at the line where the whole picture is plain, which is where an eye finds a seam.
std::vector<double> steps(std::span<const float> whole, std::span<const float> error, bool across_rows) {
  std::vector<double> result(side, 0);
  for (std::size_t line = 2; line + 1 < side; ++line) {
    std::size_t plain = 0;
    for (std::size_t along = 0; along < side; ++along) {
      for (std::size_t c = 0; c < 3; ++c) {
        const auto at = [&](std::span<const float> values, std::size_t l) {
          return bytes * values[((across_rows ? l : along) * side + (across_rows ? along : l)) * 3 + c];
        };
        if (std::abs(at(whole, line + 1) - at(whole, line - 2)) > 3) continue;
        result[line] += std::abs(at(error, line) - at(error, line - 1));
        ++plain;
      }
    }
    EXPECT_GT(plain, side) << "at line " << line;
    result[line] /= static_cast<double>(plain);
  }
  return result;
}

TEST(VaeSeams, CannotBeSeen) {
  gpu::Device* device = test::device("opencl:0");
  if (device == nullptr) GTEST_SKIP() << "there is no device opencl:0";
  const auto model = models::ImageCheckpoint::open(std::string(DRIFTWOOD_SOURCE_DIR) + "/models/shapes-sd");
  const auto file = SafetensorsFile::open(std::string(DRIFTWOOD_TEST_DATA) + "/shapes-sd/latents_384.safetensors");
  const auto latents = test::values<float>(file, "latents");
  const std::vector<float> whole = decoded(*device, model, latents, false);
  std::vector<float> error = decoded(*device, model, latents, true);
  ASSERT_EQ(error.size(), whole.size());
  double mean = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    error[i] -= whole[i];
    mean += double{bytes} * std::abs(error[i]) / static_cast<double>(whole.size());
  }
  // Group norms see the tile and not the whole picture, so that a tile's colours are off by some of 255.
  EXPECT_LT(mean, 3.5);

  // Where a tile begins or ends, and where its share begins to fall and has fallen.
  const auto starts = tile_starts(side / 8, {});
  ASSERT_EQ(starts, (std::vector<std::uint32_t>{0, 16}));
  constexpr VaeTiling tiling;
  const std::uint32_t begin = 8 * starts[1], end = 8 * tiling.tile, margin = 8 * tiling.margin;
  for (const bool across_rows : {false, true}) {
    const std::vector<double> found = steps(whole, error, across_rows);
    double at_borders = 0, elsewhere = 0;
    for (std::uint32_t line = 16; line < side - 16; ++line) {
      bool is_border = false;
      for (const std::uint32_t border : {begin, begin + margin, end - margin, end}) {
        is_border = is_border || (line + 1 >= border && line <= border + 1);
      }
      double& largest = is_border ? at_borders : elsewhere;
      largest = std::max(largest, found[line]);
    }
    EXPECT_LE(at_borders, elsewhere) << (across_rows ? "rows" : "columns");
    EXPECT_LT(elsewhere, 0.5) << (across_rows ? "rows" : "columns");  // tiles side by side would show 3 to 8
  }
}

}  // namespace
}  // namespace driftwood::diffusion

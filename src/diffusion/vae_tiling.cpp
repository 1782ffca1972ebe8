#include "diffusion/vae_tiling.h"

#include <algorithm>

#include "base/checked.h"

namespace driftwood::diffusion {

std::vector<std::uint32_t> tile_starts(std::uint32_t extent, const VaeTiling& tiling) {
  if (extent <= tiling.tile) return {0};
  const std::uint32_t count = static_cast<std::uint32_t>(
      divide_up(std::uint64_t{extent} - tiling.overlap, std::uint64_t{tiling.tile} - tiling.overlap));
  std::vector<std::uint32_t> starts;
  for (std::uint32_t i = 0; i < count; ++i) {
    starts.push_back(static_cast<std::uint32_t>(std::uint64_t{i} * (extent - tiling.tile) / (count - 1)));
  }
  return starts;
}

std::vector<std::vector<float>> tile_weights(std::uint32_t extent, std::uint32_t scale, const VaeTiling& tiling) {
  const std::vector<std::uint32_t> starts = tile_starts(extent, tiling);
  const std::uint32_t pixels = std::min(extent, tiling.tile) * scale;
  const auto margin = static_cast<float>(tiling.margin * scale);
  std::vector<std::vector<float>> weights(starts.size(), std::vector<float>(pixels, 1.0F));
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    // Tile i fades out where tile i + 1 fades in, over what they share without the margins of both.
    const std::uint32_t shared = (starts[i] + tiling.tile - starts[i + 1]) * scale;
    const float ramp = static_cast<float>(shared) - 2 * margin;
    for (std::uint32_t p = 0; p < shared; ++p) {
      const float in = std::clamp((static_cast<float>(p) + 0.5F - margin) / ramp, 0.0F, 1.0F);
      weights[i + 1][p] *= in;
      weights[i][pixels - shared + p] *= 1 - in;
    }
  }
  // More than two tiles may meet where the last ones lie closer than the others.
  std::vector<float> sums(std::size_t{extent} * scale, 0.0F);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    for (std::uint32_t p = 0; p < pixels; ++p) sums[std::size_t{starts[i]} * scale + p] += weights[i][p];
  }
  for (std::size_t i = 0; i < starts.size(); ++i) {
    for (std::uint32_t p = 0; p < pixels; ++p) weights[i][p] /= sums[std::size_t{starts[i]} * scale + p];
  }
  return weights;
}

}  // namespace driftwood::diffusion

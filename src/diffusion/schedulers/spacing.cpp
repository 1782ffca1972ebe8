#include "diffusion/schedulers/spacing.h"

#include <algorithm>
#include <cmath>

namespace driftwood::diffusion {

std::vector<double> spaced_timesteps(TimestepSpacing spacing, std::uint32_t train_timesteps, std::uint32_t steps,
                                     std::uint32_t offset, Rounding rounding) {
  std::vector<double> result(steps);
  if (spacing == TimestepSpacing::Trailing) {
    const double distance = static_cast<double>(train_timesteps) / steps;
    for (std::uint32_t i = 0; i < steps; ++i) result[i] = std::nearbyint(train_timesteps - i * distance) - 1;
    return result;
  }
  if (spacing == TimestepSpacing::Leading) {
    const std::uint32_t distance = train_timesteps / steps;
    for (std::uint32_t i = 0; i < steps; ++i) result[i] = static_cast<double>(i) * distance + offset;
  } else {
    const double distance = steps > 1 ? static_cast<double>(train_timesteps - 1) / (steps - 1) : 0;
    for (std::uint32_t i = 0; i < steps; ++i) {
      // Halves go to the even integer, as in NumPy.
      result[i] = rounding == Rounding::Integers ? std::nearbyint(i * distance) : i * distance;
    }
    if (steps > 1) result.back() = train_timesteps - 1;
  }
  std::ranges::reverse(result);
  return result;
}

}  // namespace driftwood::diffusion

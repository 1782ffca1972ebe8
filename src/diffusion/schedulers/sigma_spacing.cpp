#include "diffusion/schedulers/sigma_spacing.h"

#include <algorithm>
#include <cmath>

namespace driftwood::diffusion {

double sigma_at(double timestep, std::span<const float> train_sigmas) {
  const auto last = train_sigmas.size() - 1;
  const double clamped = std::clamp(timestep, 0.0, static_cast<double>(last));
  const auto low = std::min(static_cast<std::size_t>(clamped), last - 1);
  const double weight = clamped - static_cast<double>(low);
  return train_sigmas[low] + weight * (static_cast<double>(train_sigmas[low + 1]) - train_sigmas[low]);
}

double timestep_of(double sigma, std::span<const float> train_sigmas) {
  const auto above = std::ranges::upper_bound(train_sigmas, sigma, {}, [](float known) { return double{known}; });
  const auto low = static_cast<std::size_t>(
      std::clamp<std::ptrdiff_t>(above - train_sigmas.begin() - 1, 0, std::ssize(train_sigmas) - 2));
  const double low_log = std::log(double{train_sigmas[low]});
  const double high_log = std::log(double{train_sigmas[low + 1]});
  const double weight = std::clamp((std::log(sigma) - low_log) / (high_log - low_log), 0.0, 1.0);
  return static_cast<double>(low) + weight;
}

std::vector<double> karras_sigmas(double most, double least, std::size_t count) {
  constexpr double rho = 7;
  const double first = std::pow(most, 1 / rho);
  const double last = std::pow(least, 1 / rho);
  std::vector<double> result(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double ramp = count > 1 ? static_cast<double>(i) / static_cast<double>(count - 1) : 0;
    result[i] = std::pow(first + ramp * (last - first), rho);
  }
  return result;
}

}  // namespace driftwood::diffusion

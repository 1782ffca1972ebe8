#include "diffusion/schedulers/ddim.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "diffusion/schedulers/linear_combination.h"
#include "diffusion/schedulers/prediction.h"
#include "diffusion/schedulers/spacing.h"

namespace driftwood::diffusion {

Ddim::Ddim(const SchedulerConfig& config)
    : Scheduler(config.num_train_timesteps),
      schedule_(noise_schedule(config, SchedulerKind::Ddim, LastSignal::None)),
      spacing_(config.timestep_spacing.value_or(TimestepSpacing::Leading)),
      prediction_type_(config.prediction_type),
      steps_offset_(config.steps_offset),
      final_alpha_(config.set_alpha_to_one.value_or(true) ? 1.0F : schedule_.alphas_cumprod.front()),
      clips_(config.clip_sample.value_or(true)),
      clip_range_(config.clip_sample_range),
      eta_(config.eta) {
  check_signal(config, "ddim");
  check_clip_range(config);
  if (!(eta_ >= 0 && eta_ <= 1)) {
    throw InvalidInput(fmt::format("The eta of the scheduler ddim is {}, but must be a number between 0 and 1.", eta_));
  }
}

std::vector<double> Ddim::lay_out(std::uint32_t steps, std::uint32_t first_step) {
  std::vector<double> timesteps =
      spaced_timesteps(spacing_, num_train_timesteps(), steps, steps_offset_, Rounding::Integers);
  timesteps.erase(timesteps.begin(), timesteps.begin() + first_step);
  distance_ = num_train_timesteps() / steps;
  return timesteps;
}

double Ddim::next_alpha(std::size_t call) const {
  const std::int64_t next = timestep(call) - distance_;
  return next < 0 ? final_alpha_ : schedule_.alphas_cumprod[static_cast<std::size_t>(next)];
}

// Equation 16.
double Ddim::deviation(std::size_t call) const {
  const double here = schedule_.alphas_cumprod[static_cast<std::size_t>(timestep(call))];
  const double there = next_alpha(call);
  return eta_ * std::sqrt(std::max(0.0, (1 - there) / (1 - here) * (1 - here / there)));
}

bool Ddim::draws_noise(std::size_t call) const {
  Scheduler::draws_noise(call);
  return deviation(call) > 0;
}

void Ddim::advance(std::size_t call, std::span<const float> prediction, std::span<float> latents,
                   std::span<const float> noise) {
  const double here = schedule_.alphas_cumprod[static_cast<std::size_t>(timestep(call))];
  const double there = next_alpha(call);
  const Combination original = predicted_original(prediction_type_, std::sqrt(here), std::sqrt(1 - here));
  const Combination direction = predicted_noise(prediction_type_, std::sqrt(here), std::sqrt(1 - here));
  const double drawn = deviation(call);
  const double kept = std::sqrt(std::max(0.0, 1 - there - drawn * drawn));
  const double signal = std::sqrt(there);
  if (clips_) {
    original_.resize(latents.size());
    linear_combination(original_, {{original.latents, latents}, {original.prediction, prediction}});
    clamp(original_, clip_range_);
    linear_combination(latents, {{signal, original_},
                                 {kept * direction.latents, latents},
                                 {kept * direction.prediction, prediction},
                                 {drawn, noise}});
    return;
  }
  linear_combination(latents, {{signal * original.latents + kept * direction.latents, latents},
                               {signal * original.prediction + kept * direction.prediction, prediction},
                               {drawn, noise}});
}

Scheduler::NoisyLatents Ddim::noisy_latents(std::size_t call) const {
  const double signal = schedule_.alphas_cumprod[static_cast<std::size_t>(timestep(call))];
  return {std::sqrt(signal), std::sqrt(1 - signal)};
}

}  // namespace driftwood::diffusion

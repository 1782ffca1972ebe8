#include "diffusion/schedulers/lcm.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "diffusion/schedulers/linear_combination.h"
#include "diffusion/schedulers/prediction.h"

namespace driftwood::diffusion {

Lcm::Lcm(const SchedulerConfig& config)
    : Scheduler(config.num_train_timesteps),
      schedule_(noise_schedule(config, SchedulerKind::Lcm, LastSignal::None)),
      prediction_type_(config.prediction_type),
      clips_(config.clip_sample.value_or(false)),
      clip_range_(config.clip_sample_range),
      original_steps_(config.original_inference_steps),
      timestep_scaling_(config.timestep_scaling) {
  check_signal(config, "lcm");
  check_clip_range(config);
  if (original_steps_ < 1 || original_steps_ > config.num_train_timesteps) {
    throw InvalidInput(
        fmt::format("The number of original inference steps is {}, but must be between 1 and the {} timesteps of "
                    "training.",
                    original_steps_, config.num_train_timesteps));
  }
  if (!(timestep_scaling_ > 0 && std::isfinite(timestep_scaling_))) {
    throw InvalidInput(
        fmt::format("The timestep scaling is {}, but must be a finite number over 0.", timestep_scaling_));
  }
}

std::vector<double> Lcm::lay_out(std::uint32_t steps, std::uint32_t first_step) {
  const std::uint32_t distance = num_train_timesteps() / original_steps_;
  std::vector<double> result;
  for (std::uint32_t i = first_step; i < steps; ++i) {
    const auto from_end = static_cast<std::uint32_t>(std::uint64_t{i} * original_steps_ / steps);
    result.push_back(static_cast<double>(original_steps_ - from_end) * distance - 1);
  }
  return result;
}

double Lcm::alpha(std::size_t call) const { return schedule_.alphas_cumprod[static_cast<std::size_t>(timestep(call))]; }

bool Lcm::draws_noise(std::size_t call) const {
  Scheduler::draws_noise(call);
  return call + 1 < timesteps().size();
}

void Lcm::advance(std::size_t call, std::span<const float> prediction, std::span<float> latents,
                  std::span<const float> noise) {
  // The boundary condition, appendix C: at timestep 0 the latents are the original.
  constexpr double sigma_data = 0.5;
  const double time = static_cast<double>(timestep(call)) * timestep_scaling_;
  const double spread = time * time + sigma_data * sigma_data;
  const double skip = sigma_data * sigma_data / spread;
  const double out = time / std::sqrt(spread);

  const Combination original = predicted_original(prediction_type_, std::sqrt(alpha(call)), std::sqrt(1 - alpha(call)));
  const bool is_last = !draws_noise(call);
  const double signal = is_last ? 1 : std::sqrt(alpha(call + 1));
  const double fresh = is_last ? 0 : std::sqrt(1 - alpha(call + 1));
  if (clips_) {
    original_.resize(latents.size());
    linear_combination(original_, {{original.latents, latents}, {original.prediction, prediction}});
    clamp(original_, clip_range_);
    linear_combination(latents, {{signal * out, original_}, {signal * skip, latents}, {fresh, noise}});
    return;
  }
  linear_combination(latents, {{signal * (out * original.latents + skip), latents},
                               {signal * out * original.prediction, prediction},
                               {fresh, noise}});
}

Scheduler::NoisyLatents Lcm::noisy_latents(std::size_t call) const {
  return {std::sqrt(alpha(call)), std::sqrt(1 - alpha(call))};
}

}  // namespace driftwood::diffusion

#include "diffusion/schedulers/euler_run.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "diffusion/schedulers/linear_combination.h"
#include "diffusion/schedulers/sigma_spacing.h"
#include "diffusion/schedulers/spacing.h"

namespace driftwood::diffusion {

EulerRun::EulerRun(const SchedulerConfig& config, SchedulerKind kind)
    : Scheduler(config.num_train_timesteps),
      schedule_(noise_schedule(config, kind, LastSignal::Least)),
      spacing_(config.timestep_spacing.value_or(TimestepSpacing::Linspace)),
      prediction_type_(config.prediction_type),
      steps_offset_(config.steps_offset),
      karras_(config.use_karras_sigmas),
      final_sigma_(config.final_sigmas_type) {}

std::vector<double> EulerRun::lay_out(std::uint32_t steps, std::uint32_t first_step) {
  std::vector<double> timesteps =
      spaced_timesteps(spacing_, num_train_timesteps(), steps, steps_offset_, Rounding::None);
  sigmas_.clear();
  for (const double timestep : timesteps) sigmas_.push_back(sigma_at(timestep, schedule_.sigmas));
  if (karras_) {
    sigmas_ = karras_sigmas(sigmas_.front(), sigmas_.back(), steps);
    std::ranges::transform(sigmas_, timesteps.begin(),
                           [&](double sigma) { return timestep_of(sigma, schedule_.sigmas); });
  }
  most_sigma_ = sigmas_.front();
  sigmas_.push_back(final_sigma_ == FinalSigma::Zero ? 0.0 : schedule_.sigmas.front());
  sigmas_.erase(sigmas_.begin(), sigmas_.begin() + first_step);
  timesteps.erase(timesteps.begin(), timesteps.begin() + first_step);
  return timesteps;
}

// Leading runs start below the last timestep, where the model has seen some signal too.
double EulerRun::init_noise_sigma() const {
  if (sigmas_.empty()) throw InternalError("The scheduler has no timesteps yet.");
  return spacing_ == TimestepSpacing::Leading ? std::hypot(most_sigma_, 1) : most_sigma_;
}

double EulerRun::input_scale(std::size_t call) const {
  Scheduler::input_scale(call);
  return 1 / std::hypot(sigma(call), 1);
}

void EulerRun::move_to(double sigma_next, std::size_t call, std::span<const float> prediction, std::span<float> latents,
                       std::span<const float> noise, double noise_factor) const {
  const double here = sigma(call);
  const double distance = sigma_next - here;
  // The derivative is (latents - original) / sigma. A velocity is of latents scaled to variance 1.
  double of_latents = 0;
  double of_prediction = 1;
  if (prediction_type_ == PredictionType::Velocity) {
    of_latents = here / (here * here + 1);
    of_prediction = 1 / std::hypot(here, 1);
  } else if (prediction_type_ == PredictionType::Sample) {
    of_latents = 1 / here;
    of_prediction = -1 / here;
  }
  linear_combination(
      latents, {{1 + distance * of_latents, latents}, {distance * of_prediction, prediction}, {noise_factor, noise}});
}

Scheduler::NoisyLatents EulerRun::noisy_latents(std::size_t call) const { return {1, sigma(call)}; }

}  // namespace driftwood::diffusion

#include "diffusion/schedulers/pndm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "diffusion/schedulers/linear_combination.h"
#include "diffusion/schedulers/prediction.h"
#include "diffusion/schedulers/spacing.h"

namespace driftwood::diffusion {
namespace {

constexpr std::size_t order = 4;

}  // namespace

Pndm::Pndm(const SchedulerConfig& config)
    : Scheduler(config.num_train_timesteps),
      spacing_(config.timestep_spacing.value_or(TimestepSpacing::Leading)),
      prediction_type_(config.prediction_type),
      steps_offset_(config.steps_offset),
      skips_runge_kutta_(config.skip_prk_steps) {
  if (config.prediction_type == PredictionType::Sample) {
    throw Unsupported("The scheduler pndm needs predictions of the noise or of the velocity, not of the sample.");
  }
  SchedulerConfig read = config;
  read.rescale_betas_zero_snr = false;
  schedule_ = noise_schedule(read, SchedulerKind::Pndm, LastSignal::None);
  final_alpha_ = config.set_alpha_to_one.value_or(false) ? 1.0F : schedule_.alphas_cumprod.front();
}

std::vector<double> Pndm::lay_out(std::uint32_t steps, std::uint32_t first_step) {
  std::vector<double> visited =
      spaced_timesteps(spacing_, num_train_timesteps(), steps, steps_offset_, Rounding::Integers);
  visited.erase(visited.begin(), visited.begin() + first_step);
  if (!skips_runge_kutta_ && visited.size() < order) {
    throw InvalidInput(fmt::format(
        "The scheduler pndm with Runge-Kutta steps runs over {} steps; it needs at least {}.", visited.size(), order));
  }
  distance_ = num_train_timesteps() / steps;
  count_ = 0;
  std::vector<double> result;
  if (skips_runge_kutta_) {
    runge_kutta_calls_ = 0;
    result = visited;
    if (visited.size() > 1) result.insert(result.begin() + 1, visited[1]);
    return result;
  }
  const auto half = distance_ / 2;  // of whole steps of training
  for (std::size_t i = 0; i + 1 < order; ++i) {
    const double middle = visited[i + 1] + static_cast<double>(half);
    result.insert(result.end(), {visited[i], middle, middle, visited[i + 1]});
  }
  runge_kutta_calls_ = result.size();
  result.insert(result.end(), visited.begin() + order - 1, visited.end());
  return result;
}

void Pndm::advance(std::size_t call, std::span<const float> prediction, std::span<float> latents,
                   std::span<const float> /*noise*/) {
  if (call < runge_kutta_calls_) {
    runge_kutta(call, prediction, latents);
  } else {
    multistep(call, prediction, latents);
  }
}

// The classical method: two calls in the middle of the step and one at its end, each from latents that the call before
// it led to. All four start from the step's first latents.
void Pndm::runge_kutta(std::size_t call, std::span<const float> prediction, std::span<float> latents) {
  constexpr double weights[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  const std::size_t stage = call % 4;
  if (stage == 0) {
    remember(prediction);
    start_.assign(latents.begin(), latents.end());
    combined_.assign(latents.size(), 0.0F);
  }
  linear_combination(combined_, {{1, combined_}, {weights[stage], prediction}});
  const std::int64_t to = timestep(call) - (call % 2 == 0 ? distance_ / 2 : 0);
  transfer(start_, stage == 3 ? std::span<const float>(combined_) : prediction, timestep(call - stage), to, latents);
}

// Adams and Bashforth's weights for as many predictions as there are.
void Pndm::multistep(std::size_t call, std::span<const float> prediction, std::span<float> latents) {
  const bool repeats = skips_runge_kutta_ && call == 1;
  std::int64_t from = timestep(call);
  std::int64_t to = from - distance_;
  combined_.resize(latents.size());
  if (repeats) {
    to = from;
    from += distance_;
    linear_combination(combined_, {{0.5, prediction}, {0.5, remembered(0)}});
    transfer(start_, combined_, from, to, latents);
    return;
  }
  remember(prediction);
  if (count_ == 1) {
    start_.assign(latents.begin(), latents.end());
    transfer(latents, prediction, from, to, latents);
    return;
  }
  if (count_ == 2) {
    linear_combination(combined_, {{3.0 / 2, remembered(0)}, {-1.0 / 2, remembered(1)}});
  } else if (count_ == 3) {
    linear_combination(combined_, {{23.0 / 12, remembered(0)}, {-16.0 / 12, remembered(1)}, {5.0 / 12, remembered(2)}});
  } else {
    linear_combination(combined_, {{55.0 / 24, remembered(0)},
                                   {-59.0 / 24, remembered(1)},
                                   {37.0 / 24, remembered(2)},
                                   {-9.0 / 24, remembered(3)}});
  }
  transfer(latents, combined_, from, to, latents);
}

// Equation 9 of the paper, which written out is DDIM's step.
void Pndm::transfer(std::span<const float> latents, std::span<const float> prediction, std::int64_t from,
                    std::int64_t to, std::span<float> result) const {
  const double here = alpha(from);
  const double there = alpha(to);
  const Combination noise = predicted_noise(prediction_type_, std::sqrt(here), std::sqrt(1 - here));
  const double scale = std::sqrt(there / here);
  const double noise_scale = std::sqrt(1 - there) - scale * std::sqrt(1 - here);
  linear_combination(result,
                     {{scale + noise_scale * noise.latents, latents}, {noise_scale * noise.prediction, prediction}});
}

double Pndm::alpha(std::int64_t timestep) const {
  if (timestep < 0) return final_alpha_;
  const auto last = std::ssize(schedule_.alphas_cumprod) - 1;  // a repeated step may begin past it
  return schedule_.alphas_cumprod[static_cast<std::size_t>(std::min<std::int64_t>(timestep, last))];
}

void Pndm::remember(std::span<const float> prediction) {
  predictions_[count_ % order].assign(prediction.begin(), prediction.end());
  ++count_;
}

std::span<const float> Pndm::remembered(std::size_t age) const { return predictions_[(count_ - 1 - age) % order]; }

Scheduler::NoisyLatents Pndm::noisy_latents(std::size_t call) const {
  const double signal = alpha(timestep(call));
  return {std::sqrt(signal), std::sqrt(1 - signal)};
}

}  // namespace driftwood::diffusion

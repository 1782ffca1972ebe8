#include "diffusion/schedulers/dpm_solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "diffusion/schedulers/linear_combination.h"
#include "diffusion/schedulers/prediction.h"
#include "diffusion/schedulers/spacing.h"
#include "formats/quote.h"

namespace driftwood::diffusion {
namespace {

// The factor of the original in latents of variance 1.
double signal(double sigma) { return 1 / std::hypot(sigma, 1); }

}  // namespace

DpmSolver::DpmSolver(const SchedulerConfig& config, SigmaSpacing sigma_spacing)
    : Scheduler(config.num_train_timesteps),
      schedule_(noise_schedule(config, SchedulerKind::DpmSolver, LastSignal::Least)),
      spacing_(config.timestep_spacing.value_or(TimestepSpacing::Linspace)),
      prediction_type_(config.prediction_type),
      steps_offset_(config.steps_offset),
      sigma_spacing_(sigma_spacing),
      final_sigma_(config.final_sigmas_type),
      solver_type_(config.solver_type),
      solver_order_(config.solver_order),
      lower_order_final_(config.lower_order_final),
      euler_at_final_(config.euler_at_final) {
  if (config.algorithm_type != "dpmsolver++" && config.algorithm_type != "deis") {
    throw Unsupported(fmt::format("The key 'algorithm_type' is {}; only dpmsolver++ is supported.",
                                  quote_name(config.algorithm_type)));
  }
  if (solver_order_ < 1 || solver_order_ > 3) {
    throw InvalidInput(fmt::format("The solver's order is {}, but must be between 1 and 3.", solver_order_));
  }
  // lambda = log(alpha / sigma) of equation 2.
  const auto usable = std::ranges::count_if(
      schedule_.sigmas, [&](float sigma) { return -std::log(double{sigma}) >= config.lambda_min_clipped; });
  if (usable < 2) {
    throw InvalidInput(fmt::format("A least lambda of {} leaves {} timesteps; at least 2 are needed.",
                                   config.lambda_min_clipped, usable));
  }
  usable_timesteps_ = static_cast<std::uint32_t>(usable);
}

// One timestep more is laid out than is visited, and no two may be the same.
std::uint32_t DpmSolver::most_steps() const { return usable_timesteps_ - 1; }

std::vector<double> DpmSolver::spaced(std::uint32_t steps) const {
  if (spacing_ == TimestepSpacing::Trailing) {
    const double distance = static_cast<double>(num_train_timesteps()) / steps;
    std::vector<double> result(steps);
    for (std::uint32_t i = 0; i < steps; ++i) result[i] = std::nearbyint(usable_timesteps_ - i * distance) - 1;
    return result;
  }
  auto result = spaced_timesteps(spacing_, usable_timesteps_, steps + 1, steps_offset_, Rounding::Integers);
  result.pop_back();
  return result;
}

std::vector<double> DpmSolver::lay_out(std::uint32_t steps, std::uint32_t first_step) {
  std::vector<double> timesteps = spaced(steps);
  sigmas_.clear();
  if (sigma_spacing_ == SigmaSpacing::Karras) {
    sigmas_ = karras_sigmas(schedule_.sigmas.back(), schedule_.sigmas.front(), steps);
    std::ranges::transform(sigmas_, timesteps.begin(),
                           [&](double sigma) { return std::nearbyint(timestep_of(sigma, schedule_.sigmas)); });
  } else {
    for (const double timestep : timesteps) sigmas_.push_back(sigma_at(timestep, schedule_.sigmas));
  }
  sigmas_.push_back(final_sigma_ == FinalSigma::Zero ? 0.0 : schedule_.sigmas.front());
  sigmas_.erase(sigmas_.begin(), sigmas_.begin() + first_step);
  timesteps.erase(timesteps.begin(), timesteps.begin() + first_step);
  steps_ = steps;
  return timesteps;
}

// Short runs end in lower orders, and the step to sigma 0, where lambda is infinite, is of order one.
std::size_t DpmSolver::order_of(std::size_t call) const {
  const std::size_t remaining = timesteps().size() - call;
  const bool eases_out = lower_order_final_ && steps_ < 15;
  if (remaining == 1 && (euler_at_final_ || eases_out || final_sigma_ == FinalSigma::Zero)) return 1;
  const std::size_t order = std::min(solver_order_, call + 1);
  return remaining == 2 && eases_out ? std::min<std::size_t>(order, 2) : order;
}

void DpmSolver::advance(std::size_t call, std::span<const float> prediction, std::span<float> latents,
                        std::span<const float> /*noise*/) {
  const double alpha = signal(sigmas_[call]);
  const Combination original = predicted_original(prediction_type_, alpha, alpha * sigmas_[call]);
  std::ranges::rotate(originals_, originals_.end() - 1);
  originals_[0].resize(latents.size());
  linear_combination(originals_[0], {{original.latents, latents}, {original.prediction, prediction}});
  switch (order_of(call)) {
    case 1: first_order(call, latents); break;
    case 2: second_order(call, latents); break;
    default: third_order(call, latents);
  }
}

// In all three, `decay` is exp(-h), and h the step in lambda.
void DpmSolver::first_order(std::size_t call, std::span<float> latents) const {
  const double alpha = signal(sigmas_[call + 1]);
  const double decay = sigmas_[call + 1] / sigmas_[call];
  linear_combination(latents, {{decay * alpha / signal(sigmas_[call]), latents}, {alpha * (1 - decay), originals_[0]}});
}

void DpmSolver::second_order(std::size_t call, std::span<float> latents) const {
  const double alpha = signal(sigmas_[call + 1]);
  const double decay = sigmas_[call + 1] / sigmas_[call];
  const double h = -std::log(decay);
  const double h0 = std::log(sigmas_[call - 1] / sigmas_[call]);
  const double slope = (solver_type_ == SolverType::Midpoint ? (1 - decay) / 2 : (decay - 1) / h + 1) * h / h0;
  linear_combination(latents, {{decay * alpha / signal(sigmas_[call]), latents},
                               {alpha * (1 - decay + slope), originals_[0]},
                               {-alpha * slope, originals_[1]}});
}

void DpmSolver::third_order(std::size_t call, std::span<float> latents) const {
  const double alpha = signal(sigmas_[call + 1]);
  const double decay = sigmas_[call + 1] / sigmas_[call];
  const double h = -std::log(decay);
  const double r0 = std::log(sigmas_[call - 1] / sigmas_[call]) / h;
  const double r1 = std::log(sigmas_[call - 2] / sigmas_[call - 1]) / h;
  const double first = (decay - 1) / h + 1;
  const double second = (decay - 1 + h) / (h * h) - 0.5;
  // The divided differences d0 = (m0 - m1) / r0 and d1 = (m1 - m2) / r1 in first * (d0 + r0 * curve) - second * curve,
  // curve = (d0 - d1) / (r0 + r1).
  const double of_curve = (first * r0 - second) / (r0 + r1);
  const double of_d0 = (first + of_curve) / r0;
  const double of_d1 = -of_curve / r1;
  linear_combination(latents, {{decay * alpha / signal(sigmas_[call]), latents},
                               {alpha * (1 - decay + of_d0), originals_[0]},
                               {alpha * (of_d1 - of_d0), originals_[1]},
                               {-alpha * of_d1, originals_[2]}});
}

Scheduler::NoisyLatents DpmSolver::noisy_latents(std::size_t call) const {
  const double alpha = signal(sigmas_[call]);
  return {alpha, alpha * sigmas_[call]};
}

}  // namespace driftwood::diffusion

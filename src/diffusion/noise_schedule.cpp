#include "diffusion/noise_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.h"

namespace driftwood::diffusion {
namespace {

void check_beta(std::string_view name, double beta) {
  if (beta >= least_beta && beta <= most_beta) return;  // false for NaN
  throw InvalidInput(
      fmt::format("The {} is {}, but must be a number between {} and {}.", name, beta, least_beta, most_beta));
}

// Counts from both ends, so that both are met exactly.
std::vector<float> linspace(double first, double last, std::uint32_t count) {
  const auto start = static_cast<float>(first);
  const auto end = static_cast<float>(last);
  const float step = (end - start) / static_cast<float>(count - 1);
  std::vector<float> result(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    result[i] = i < count / 2 ? start + step * static_cast<float>(i) : end - step * static_cast<float>(count - i - 1);
  }
  return result;
}

// Nichol and Dhariwal, "Improved Denoising Diffusion Probabilistic Models", 2021, equation 17.
std::vector<float> squared_cosine(std::uint32_t count) {
  const auto signal = [](double t) { return std::pow(std::cos((t + 0.008) / 1.008 * std::numbers::pi / 2), 2); };
  std::vector<float> betas(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const double beta = 1 - signal((i + 1.0) / count) / signal(static_cast<double>(i) / count);
    betas[i] = static_cast<float>(std::min(beta, 0.999));
  }
  return betas;
}

std::vector<float> betas_of(const SchedulerConfig& config, SchedulerKind kind) {
  const std::uint32_t count = config.num_train_timesteps;
  if (!config.trained_betas.empty()) {
    if (config.trained_betas.size() != count) {
      throw InvalidInput(
          fmt::format("There are {} trained betas, but {} timesteps of training.", config.trained_betas.size(), count));
    }
    for (const double beta : config.trained_betas) check_beta("trained beta", beta);
    return {config.trained_betas.begin(), config.trained_betas.end()};
  }
  const bool is_lcm = kind == SchedulerKind::Lcm;
  const double start = config.beta_start.value_or(is_lcm ? 0.00085 : 0.0001);
  const double end = config.beta_end.value_or(is_lcm ? 0.012 : 0.02);
  check_beta("first beta", start);
  check_beta("last beta", end);
  switch (config.beta_schedule.value_or(is_lcm ? BetaSchedule::ScaledLinear : BetaSchedule::Linear)) {
    case BetaSchedule::Linear: return linspace(start, end, count);
    case BetaSchedule::ScaledLinear: {
      std::vector<float> betas = linspace(std::sqrt(start), std::sqrt(end), count);
      for (float& beta : betas) beta *= beta;
      return betas;
    }
    case BetaSchedule::SquaredCosine: return squared_cosine(count);
  }
  throw InternalError("There is no such schedule of betas.");
}

std::vector<float> cumulative_alphas(const std::vector<float>& betas) {
  std::vector<float> result(betas.size());
  double product = 1;
  for (std::size_t t = 0; t < betas.size(); ++t) {
    product *= static_cast<double>(1.0F - betas[t]);
    result[t] = static_cast<float>(product);
  }
  return result;
}

// Lin et al., "Common Diffusion Noise Schedules and Sample Steps are Flawed", 2023, algorithm 1: the square roots are
// moved and stretched until the last is zero and the first is where it was.
void rescale_to_no_signal(std::vector<float>& alphas, LastSignal last) {
  const float first_root = std::sqrt(alphas.front());
  const float last_root = std::sqrt(alphas.back());
  for (float& alpha : alphas) {
    const float root = (std::sqrt(alpha) - last_root) * (first_root / (first_root - last_root));
    alpha = root * root;
  }
  alphas.back() = last == LastSignal::None ? 0.0F : 0x1p-24F;
}

}  // namespace

NoiseSchedule noise_schedule(const SchedulerConfig& config, SchedulerKind kind, LastSignal last) {
  if (config.num_train_timesteps < 2 || config.num_train_timesteps > most_train_timesteps) {
    throw InvalidInput(fmt::format("The number of training timesteps is {}, but must be between 2 and {}.",
                                   config.num_train_timesteps, most_train_timesteps));
  }
  NoiseSchedule schedule;
  schedule.alphas_cumprod = cumulative_alphas(betas_of(config, kind));
  if (config.rescale_betas_zero_snr) rescale_to_no_signal(schedule.alphas_cumprod, last);
  const bool ends_in_noise = config.rescale_betas_zero_snr && last == LastSignal::None;
  for (std::size_t t = 0; t < schedule.alphas_cumprod.size(); ++t) {
    const float alpha = schedule.alphas_cumprod[t];
    const float sigma = std::sqrt((1 - alpha) / alpha);
    const bool may_be_infinite = ends_in_noise && t + 1 == schedule.alphas_cumprod.size();
    // Solvers divide by the distance of neighbours.
    const bool rises = sigma > (schedule.sigmas.empty() ? 0.0F : schedule.sigmas.back());
    if (!rises || !(std::isfinite(sigma) || may_be_infinite)) {
      throw InvalidInput(
          fmt::format("The schedule of betas gives a sigma of {} at timestep {}, but sigmas must be finite and rise "
                      "from one timestep to the next.",
                      sigma, t));
    }
    schedule.sigmas.push_back(sigma);
  }
  return schedule;
}

void check_signal(const SchedulerConfig& config, std::string_view scheduler) {
  if (config.rescale_betas_zero_snr && config.prediction_type == PredictionType::Epsilon) {
    throw Unsupported(
        fmt::format("The scheduler {} with 'rescale_betas_zero_snr' needs a model that predicts velocity or the "
                    "sample, not epsilon.",
                    scheduler));
  }
}

void check_clip_range(const SchedulerConfig& config) {
  if (config.clip_sample_range > 0 && std::isfinite(config.clip_sample_range)) return;
  throw InvalidInput(
      fmt::format("The range of clipping is {}, but must be a finite number over 0.", config.clip_sample_range));
}

}  // namespace driftwood::diffusion

// How much signal and how much noise a model saw at each timestep of its training: from betas to sigmas.
#pragma once

#include <vector>

#include "diffusion/scheduler_config.h"

namespace driftwood::diffusion {

constexpr std::uint32_t most_train_timesteps = 100'000;
// Past these limits 1 - beta is 1 or 0 in float32.
constexpr double least_beta = 1e-7;
constexpr double most_beta = 0.9999999;

/// A variance-preserving schedule: a noisy sample at timestep t is sqrt(alphas_cumprod[t]) times the original plus
/// sqrt(1 - alphas_cumprod[t]) times noise. Values are those of float32 arithmetic, as the models' users have them:
/// near timestep 0, where 1 - alpha cancels, sigmas in double precision differ from them in the fifth digit.
struct NoiseSchedule {
  std::vector<float> alphas_cumprod;  // one for each timestep, falling
  std::vector<float> sigmas;          // sqrt((1 - alpha) / alpha), rising

  std::uint32_t timesteps() const { return static_cast<std::uint32_t>(alphas_cumprod.size()); }
};

/// What `rescale_betas_zero_snr` leaves at the last timestep: no signal, or as little as keeps its sigma finite.
enum class LastSignal { None, Least };

/// The schedule of a configuration as `kind` reads it. Throws InvalidInput, naming value and limit.
NoiseSchedule noise_schedule(const SchedulerConfig& config, SchedulerKind kind, LastSignal last);

/// Throws Unsupported where the schedule ends without signal and the model predicts noise, in which `scheduler` would
/// find no original.
void check_signal(const SchedulerConfig& config, std::string_view scheduler);

/// Throws InvalidInput where the range that originals are clipped to is no finite number over 0.
void check_clip_range(const SchedulerConfig& config);

}  // namespace driftwood::diffusion

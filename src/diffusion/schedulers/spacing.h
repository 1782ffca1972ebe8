// Which of the training's timesteps a run visits.
#pragma once

#include <vector>

#include "diffusion/scheduler_config.h"

namespace driftwood::diffusion {

enum class Rounding { None, Integers };  // of linspace alone; the others are integers

/// `steps` timesteps, falling, from a training on `train_timesteps` of them, spaced as in table 2 of Lin et al.,
/// "Common Diffusion Noise Schedules and Sample Steps are Flawed", 2023. `offset` is added to leading ones.
std::vector<double> spaced_timesteps(TimestepSpacing spacing, std::uint32_t train_timesteps, std::uint32_t steps,
                                     std::uint32_t offset, Rounding rounding);

}  // namespace driftwood::diffusion

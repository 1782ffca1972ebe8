#include "diffusion/schedulers/euler.h"

namespace driftwood::diffusion {

Euler::Euler(const SchedulerConfig& config) : EulerRun(config, SchedulerKind::Euler) {}

void Euler::advance(std::size_t call, std::span<const float> prediction, std::span<float> latents,
                    std::span<const float> noise) {
  move_to(sigma(call + 1), call, prediction, latents, noise, 0);
}

}  // namespace driftwood::diffusion

#include "diffusion/schedulers/euler_ancestral.h"

#include <algorithm>
#include <cmath>

namespace driftwood::diffusion {
namespace {

// Keys that this scheduler does not have.
SchedulerConfig own(SchedulerConfig config) {
  config.use_karras_sigmas = false;
  config.final_sigmas_type = FinalSigma::Zero;
  return config;
}

}  // namespace

EulerAncestral::EulerAncestral(const SchedulerConfig& config) : EulerRun(own(config), SchedulerKind::EulerAncestral) {}

double EulerAncestral::fresh_sigma(std::size_t call) const {
  const double ratio = sigma(call + 1) / sigma(call);
  return sigma(call + 1) * std::sqrt(std::max(0.0, 1 - ratio * ratio));
}

bool EulerAncestral::draws_noise(std::size_t call) const {
  Scheduler::draws_noise(call);
  return fresh_sigma(call) > 0;
}

void EulerAncestral::advance(std::size_t call, std::span<const float> prediction, std::span<float> latents,
                             std::span<const float> noise) {
  // What remains of the variance at the next sigma beside the fresh noise.
  const double below = sigma(call + 1) * sigma(call + 1) / sigma(call);
  move_to(below, call, prediction, latents, noise, fresh_sigma(call));
}

}  // namespace driftwood::diffusion

// What a model's prediction says of the original and of the noise.
#pragma once

#include "diffusion/scheduler_config.h"

namespace driftwood::diffusion {

/// latents * (the noisy latents) + prediction * (the model's prediction).
struct Combination {
  double latents, prediction;
};

/// The original where latents are alpha * original + sigma * noise. `alpha` is over 0, unless the prediction is a
/// velocity (alpha * noise - sigma * original) or the sample itself.
constexpr Combination predicted_original(PredictionType type, double alpha, double sigma) {
  switch (type) {
    case PredictionType::Epsilon: return {1 / alpha, -sigma / alpha};
    case PredictionType::Velocity: return {alpha, -sigma};
    case PredictionType::Sample: break;
  }
  return {0, 1};
}

/// The noise in the same latents; `sigma` is over 0.
constexpr Combination predicted_noise(PredictionType type, double alpha, double sigma) {
  switch (type) {
    case PredictionType::Epsilon: return {0, 1};
    case PredictionType::Velocity: return {sigma, alpha};
    case PredictionType::Sample: break;
  }
  return {1 / sigma, -alpha / sigma};
}

}  // namespace driftwood::diffusion

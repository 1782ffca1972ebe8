// Euler's method: Karras et al., "Elucidating the Design Space of Diffusion-Based Generative Models", 2022.
#pragma once

#include "diffusion/schedulers/euler_run.h"

namespace driftwood::diffusion {

/// Algorithm 2 of the paper without churn and without its second-order correction.
class Euler final : public EulerRun {
 public:
  explicit Euler(const SchedulerConfig& config);

 protected:
  void advance(std::size_t call, std::span<const float> prediction, std::span<float> latents,
               std::span<const float> noise) override;
};

}  // namespace driftwood::diffusion

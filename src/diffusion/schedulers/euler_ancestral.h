// Euler's method with ancestral sampling, as in Crowson's k-diffusion.
#pragma once

#include "diffusion/schedulers/euler_run.h"

namespace driftwood::diffusion {

/// Each step goes below the next sigma and comes back up by fresh noise, as much as DDPM's steps have.
class EulerAncestral final : public EulerRun {
 public:
  explicit EulerAncestral(const SchedulerConfig& config);
  bool draws_noise(std::size_t call) const override;

 protected:
  void advance(std::size_t call, std::span<const float> prediction, std::span<float> latents,
               std::span<const float> noise) override;

 private:
  double fresh_sigma(std::size_t call) const;
};

}  // namespace driftwood::diffusion

// LCM: Luo et al., "Latent Consistency Models", 2023.
#pragma once

#include "diffusion/noise_schedule.h"
#include "diffusion/scheduler.h"

namespace driftwood::diffusion {

/// Multistep consistency sampling: each step predicts the original and puts fresh noise over it, all but the last. Its
/// timesteps are among the `original_inference_steps` that the model was distilled on.
class Lcm final : public Scheduler {
 public:
  explicit Lcm(const SchedulerConfig& config);
  bool draws_noise(std::size_t call) const override;

 protected:
  std::uint32_t most_steps() const override { return original_steps_; }
  std::vector<double> lay_out(std::uint32_t steps, std::uint32_t first_step) override;
  void advance(std::size_t call, std::span<const float> prediction, std::span<float> latents,
               std::span<const float> noise) override;
  NoisyLatents noisy_latents(std::size_t call) const override;

 private:
  double alpha(std::size_t call) const;

  NoiseSchedule schedule_;
  PredictionType prediction_type_;
  bool clips_;
  double clip_range_;
  std::uint32_t original_steps_;
  double timestep_scaling_;
  std::vector<float> original_;  // as predicted
};

}  // namespace driftwood::diffusion

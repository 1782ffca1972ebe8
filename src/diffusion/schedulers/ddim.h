// DDIM: Song et al., "Denoising Diffusion Implicit Models", 2021.
#pragma once

#include "diffusion/noise_schedule.h"
#include "diffusion/scheduler.h"

namespace driftwood::diffusion {

/// Equation 12 of the paper. With eta = 0 nothing is drawn; with eta = 1 it is DDPM over fewer timesteps.
class Ddim final : public Scheduler {
 public:
  explicit Ddim(const SchedulerConfig& config);
  bool draws_noise(std::size_t call) const override;

 protected:
  std::vector<double> lay_out(std::uint32_t steps, std::uint32_t first_step) override;
  void advance(std::size_t call, std::span<const float> prediction, std::span<float> latents,
               std::span<const float> noise) override;
  NoisyLatents noisy_latents(std::size_t call) const override;

 private:
  double next_alpha(std::size_t call) const;
  double deviation(std::size_t call) const;  // of the noise that a call draws

  NoiseSchedule schedule_;
  TimestepSpacing spacing_;
  PredictionType prediction_type_;
  std::uint32_t steps_offset_;
  float final_alpha_;
  bool clips_;
  double clip_range_;
  double eta_;

  std::int64_t distance_ = 0;    // of a step, in timesteps
  std::vector<float> original_;  // as predicted
};

}  // namespace driftwood::diffusion

// What the Euler schedulers share: a run as sigmas over latents that are the original plus sigma times noise.
#pragma once

#include "diffusion/noise_schedule.h"
#include "diffusion/scheduler.h"

namespace driftwood::diffusion {

class EulerRun : public Scheduler {
 public:
  double init_noise_sigma() const override;
  double input_scale(std::size_t call) const override;

 protected:
  EulerRun(const SchedulerConfig& config, SchedulerKind kind);

  std::vector<double> lay_out(std::uint32_t steps, std::uint32_t first_step) override;
  NoisyLatents noisy_latents(std::size_t call) const override;

  /// The sigma of a call; one past the last is what the run ends with.
  double sigma(std::size_t call) const { return sigmas_[call]; }
  /// latents += (sigma - sigma(call)) * the derivative, which is the noise that the prediction means.
  void move_to(double sigma, std::size_t call, std::span<const float> prediction, std::span<float> latents,
               std::span<const float> noise, double noise_factor) const;

 private:
  NoiseSchedule schedule_;
  TimestepSpacing spacing_;
  PredictionType prediction_type_;
  std::uint32_t steps_offset_;
  bool karras_;
  FinalSigma final_sigma_;

  std::vector<double> sigmas_;
  double most_sigma_ = 0;  // of the whole run, with the steps that are left out
};

}  // namespace driftwood::diffusion

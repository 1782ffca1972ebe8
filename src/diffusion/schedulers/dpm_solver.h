// DPM-Solver++: Lu et al., "DPM-Solver++: Fast Solver for Guided Sampling of Diffusion Probabilistic Models", 2022.
#pragma once

#include <array>

#include "diffusion/noise_schedule.h"
#include "diffusion/scheduler.h"
#include "diffusion/schedulers/sigma_spacing.h"

namespace driftwood::diffusion {

/// The multistep solver in the predicted originals, of order `solver_order`, by default two (2M).
class DpmSolver final : public Scheduler {
 public:
  DpmSolver(const SchedulerConfig& config, SigmaSpacing sigma_spacing);

 protected:
  std::uint32_t most_steps() const override;
  std::vector<double> lay_out(std::uint32_t steps, std::uint32_t first_step) override;
  void advance(std::size_t call, std::span<const float> prediction, std::span<float> latents,
               std::span<const float> noise) override;
  NoisyLatents noisy_latents(std::size_t call) const override;

 private:
  std::vector<double> spaced(std::uint32_t steps) const;
  std::size_t order_of(std::size_t call) const;
  void first_order(std::size_t call, std::span<float> latents) const;
  void second_order(std::size_t call, std::span<float> latents) const;
  void third_order(std::size_t call, std::span<float> latents) const;

  NoiseSchedule schedule_;
  TimestepSpacing spacing_;
  PredictionType prediction_type_;
  std::uint32_t steps_offset_;
  SigmaSpacing sigma_spacing_;
  FinalSigma final_sigma_;
  SolverType solver_type_;
  std::size_t solver_order_;
  bool lower_order_final_;
  bool euler_at_final_;
  std::uint32_t usable_timesteps_;  // the others have a lambda below its limit

  std::size_t steps_ = 0;  // of the whole run, with those that are left out
  std::vector<double> sigmas_;
  std::array<std::vector<float>, 3> originals_;  // as predicted, the last first
};

}  // namespace driftwood::diffusion

// PNDM: Liu et al., "Pseudo Numerical Methods for Diffusion Models on Manifolds", 2022.
#pragma once

#include <array>

#include "diffusion/noise_schedule.h"
#include "diffusion/scheduler.h"

namespace driftwood::diffusion {

/// The scheduler of Stable Diffusion 1.4. A linear multistep method of order four needs three predictions to begin
/// with. With `skip_prk_steps` it grows its order from one, and takes its first step a second time with the mean of
/// the predictions at both ends (steps + 1 calls); otherwise three steps of a Runge-Kutta method of four calls each
/// come first (steps + 9 calls).
///
/// Image-to-image repeats the first step that remains, whichever it is. (diffusers leaves out calls rather than steps,
/// so that from the third on, predictions are made at the next step's timestep.)
class Pndm final : public Scheduler {
 public:
  explicit Pndm(const SchedulerConfig& config);

 protected:
  std::vector<double> lay_out(std::uint32_t steps, std::uint32_t first_step) override;
  void advance(std::size_t call, std::span<const float> prediction, std::span<float> latents,
               std::span<const float> noise) override;
  NoisyLatents noisy_latents(std::size_t call) const override;

 private:
  void runge_kutta(std::size_t call, std::span<const float> prediction, std::span<float> latents);
  void multistep(std::size_t call, std::span<const float> prediction, std::span<float> latents);
  // result = the latents at timestep `to`, from `latents` and a combined prediction at timestep `from`.
  void transfer(std::span<const float> latents, std::span<const float> prediction, std::int64_t from, std::int64_t to,
                std::span<float> result) const;
  double alpha(std::int64_t timestep) const;

  void remember(std::span<const float> prediction);
  // The prediction remembered `age` before the last.
  std::span<const float> remembered(std::size_t age) const;

  NoiseSchedule schedule_;
  TimestepSpacing spacing_;
  PredictionType prediction_type_;
  std::uint32_t steps_offset_;
  bool skips_runge_kutta_;
  float final_alpha_;

  std::int64_t distance_ = 0;  // of a step, in timesteps
  std::size_t runge_kutta_calls_ = 0;
  std::size_t count_ = 0;  // of predictions remembered so far
  std::array<std::vector<float>, 4> predictions_;
  std::vector<float> start_;     // the latents that a step of several calls starts from
  std::vector<float> combined_;  // predictions with their weights
};

}  // namespace driftwood::diffusion

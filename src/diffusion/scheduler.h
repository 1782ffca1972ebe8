// Schedulers: from the UNet's predictions to the next latents.
//
//   const auto scheduler = make_scheduler(SchedulerKind::Pndm, config);
//   scheduler->set_timesteps(20);
//   // latents: normal noise times scheduler->init_noise_sigma()
//   for (std::size_t call = 0; call < scheduler->timesteps().size(); ++call) {
//     input = latents;
//     scheduler->scale_model_input(input, call);
//     prediction = unet(input, scheduler->timesteps()[call]);
//     scheduler->step(call, prediction, latents, noise);  // noise only where draws_noise(call)
//   }
//
// Image-to-image leaves out the first steps: set_timesteps(steps, first_step), and latents are the encoded picture
// after add_noise(latents, noise, 0). Results are those of diffusers' schedulers of the same names.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "diffusion/scheduler_config.h"

namespace driftwood::diffusion {

/// pndm, ddim, euler, euler-a, dpm++2m, dpm++2m-karras or lcm.
std::string_view to_string(SchedulerKind kind);

/// The kind of a name. Throws InvalidInput, naming those that there are.
SchedulerKind parse_scheduler_kind(std::string_view name);

/// Latents of any shape and any number of pictures: element by element, all alike. One run of calls from 0 upwards
/// follows each set_timesteps; schedulers that remember predictions forget them there.
class Scheduler {
 public:
  virtual ~Scheduler() = default;

  /// Lays out a run of `steps` steps without the first `first_step`. Throws InvalidInput where there are no steps, more
  /// than the model was trained on or the scheduler can place, or none left.
  void set_timesteps(std::uint32_t steps, std::uint32_t first_step = 0);

  /// The timestep of each call of the UNet, falling; pndm calls it more often than there are steps.
  std::span<const float> timesteps() const { return timesteps_; }

  /// Standard deviation of the noise that a whole run starts from.
  virtual double init_noise_sigma() const { return 1; }

  /// The factor of the latents as the UNet sees them in `call`.
  virtual double input_scale(std::size_t call) const;
  void scale_model_input(std::span<float> latents, std::size_t call) const;

  /// Whether step() needs standard normal noise in `call`.
  virtual bool draws_noise(std::size_t call) const;

  /// Moves `latents` from this call's timestep to the next. `prediction` is the UNet's after guidance, and `noise`
  /// standard normal where draws_noise(call), otherwise unread; each has as many elements as `latents`. Throws
  /// InternalError where calls are out of order or sizes differ.
  void step(std::size_t call, std::span<const float> prediction, std::span<float> latents,
            std::span<const float> noise = {});

  /// Puts noise over clean latents, as much as the model expects in `call`.
  void add_noise(std::span<float> latents, std::span<const float> noise, std::size_t call) const;

 protected:
  struct NoisyLatents {
    double original, noise;  // factors
  };

  explicit Scheduler(std::uint32_t num_train_timesteps) : num_train_timesteps_(num_train_timesteps) {}

  /// The most steps that a run can have.
  virtual std::uint32_t most_steps() const { return num_train_timesteps_; }
  /// Forgets the last run; the timesteps of the calls that remain after `first_step`.
  virtual std::vector<double> lay_out(std::uint32_t steps, std::uint32_t first_step) = 0;
  virtual void advance(std::size_t call, std::span<const float> prediction, std::span<float> latents,
                       std::span<const float> noise) = 0;
  virtual NoisyLatents noisy_latents(std::size_t call) const = 0;

  std::uint32_t num_train_timesteps() const { return num_train_timesteps_; }
  /// The timestep of a call as an index of the noise schedule.
  std::int64_t timestep(std::size_t call) const { return static_cast<std::int64_t>(timesteps_[call]); }

 private:
  void check_call(std::size_t call) const;

  std::uint32_t num_train_timesteps_;
  std::vector<float> timesteps_;
  std::size_t next_call_ = 0;
};

/// Throws InvalidInput where a number of `config` is past its limit, Unsupported where the kind cannot do what it asks.
std::unique_ptr<Scheduler> make_scheduler(SchedulerKind kind, const SchedulerConfig& config);

}  // namespace driftwood::diffusion

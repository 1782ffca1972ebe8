#include "diffusion/scheduler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "base/error.h"
#include "diffusion/schedulers/ddim.h"
#include "diffusion/schedulers/dpm_solver.h"
#include "diffusion/schedulers/euler.h"
#include "diffusion/schedulers/euler_ancestral.h"
#include "diffusion/schedulers/lcm.h"
#include "diffusion/schedulers/linear_combination.h"
#include "diffusion/schedulers/pndm.h"
#include "formats/quote.h"

namespace driftwood::diffusion {
namespace {

constexpr std::pair<std::string_view, SchedulerKind> kinds[] = {
    {"pndm", SchedulerKind::Pndm},         {"ddim", SchedulerKind::Ddim},
    {"euler", SchedulerKind::Euler},       {"euler-a", SchedulerKind::EulerAncestral},
    {"dpm++2m", SchedulerKind::DpmSolver}, {"dpm++2m-karras", SchedulerKind::DpmSolverKarras},
    {"lcm", SchedulerKind::Lcm},
};

}  // namespace

std::string_view to_string(SchedulerKind kind) {
  for (const auto& [name, named] : kinds) {
    if (named == kind) return name;
  }
  throw InternalError("There is no such scheduler.");
}

SchedulerKind parse_scheduler_kind(std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& [known, kind] : kinds) {
    if (known == name) return kind;
    names.push_back(known);
  }
  throw InvalidInput(fmt::format("There is no scheduler {}; there are {}.", quote_name(name), fmt::join(names, ", ")));
}

void Scheduler::set_timesteps(std::uint32_t steps, std::uint32_t first_step) {
  if (steps < 1 || steps > most_steps()) {
    throw InvalidInput(fmt::format("The number of steps is {}, but must be between 1 and {}.", steps, most_steps()));
  }
  if (first_step >= steps) {
    throw InvalidInput(
        fmt::format("The first step is {} of {} steps counted from 0, which leaves none.", first_step, steps));
  }
  const std::vector<double> timesteps = lay_out(steps, first_step);
  for (const double timestep : timesteps) {
    if (timestep < 0 || timestep > num_train_timesteps_ - 1) {
      throw InvalidInput(fmt::format("{} steps reach the timestep {}, but the model was trained on 0 to {}.", steps,
                                     timestep, num_train_timesteps_ - 1));
    }
  }
  timesteps_.assign(timesteps.begin(), timesteps.end());
  next_call_ = 0;
}

void Scheduler::check_call(std::size_t call) const {
  if (call >= timesteps_.size()) {
    throw InternalError(fmt::format("The call is {} of {} counted from 0.", call, timesteps_.size()));
  }
}

double Scheduler::input_scale(std::size_t call) const {
  check_call(call);
  return 1;
}

bool Scheduler::draws_noise(std::size_t call) const {
  check_call(call);
  return false;
}

void Scheduler::scale_model_input(std::span<float> latents, std::size_t call) const {
  check_call(call);
  const double scale = input_scale(call);
  if (scale == 1) return;
  for (float& value : latents) value = static_cast<float>(value * scale);
}

void Scheduler::step(std::size_t call, std::span<const float> prediction, std::span<float> latents,
                     std::span<const float> noise) {
  check_call(call);
  if (call != next_call_) throw InternalError(fmt::format("The call is {}, but {} is next.", call, next_call_));
  if (prediction.size() != latents.size() || (draws_noise(call) && noise.size() != latents.size())) {
    throw InternalError(fmt::format("There are {} latents, {} predictions and {} elements of noise.", latents.size(),
                                    prediction.size(), noise.size()));
  }
  advance(call, prediction, latents, noise);
  ++next_call_;
}

void Scheduler::add_noise(std::span<float> latents, std::span<const float> noise, std::size_t call) const {
  check_call(call);
  if (noise.size() != latents.size()) {
    throw InternalError(fmt::format("There are {} latents and {} elements of noise.", latents.size(), noise.size()));
  }
  const NoisyLatents factors = noisy_latents(call);
  linear_combination(latents, {{factors.original, latents}, {factors.noise, noise}});
}

std::unique_ptr<Scheduler> make_scheduler(SchedulerKind kind, const SchedulerConfig& config) {
  switch (kind) {
    case SchedulerKind::Pndm: return std::make_unique<Pndm>(config);
    case SchedulerKind::Ddim: return std::make_unique<Ddim>(config);
    case SchedulerKind::Euler: return std::make_unique<Euler>(config);
    case SchedulerKind::EulerAncestral: return std::make_unique<EulerAncestral>(config);
    case SchedulerKind::DpmSolver: return std::make_unique<DpmSolver>(config, SigmaSpacing::Timesteps);
    case SchedulerKind::DpmSolverKarras: return std::make_unique<DpmSolver>(config, SigmaSpacing::Karras);
    case SchedulerKind::Lcm: return std::make_unique<Lcm>(config);
  }
  throw InternalError("There is no such scheduler.");
}

}  // namespace driftwood::diffusion

#include "diffusion/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "base/error.h"

namespace driftwood::diffusion {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr SchedulerKind all_kinds[] = {SchedulerKind::Pndm,      SchedulerKind::Ddim,
                                       SchedulerKind::Euler,     SchedulerKind::EulerAncestral,
                                       SchedulerKind::DpmSolver, SchedulerKind::DpmSolverKarras,
                                       SchedulerKind::Lcm};

SchedulerConfig stable_diffusion() {
  return {.beta_start = 0.00085,
          .beta_end = 0.012,
          .beta_schedule = BetaSchedule::ScaledLinear,
          .steps_offset = 1,
          .set_alpha_to_one = false,
          .skip_prk_steps = true,
          .clip_sample = false};
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const InvalidInput& error) {
    return error.message();
  } catch (const Unsupported& error) {
    return "Unsupported: " + error.message();
  }
  return "";
}

// Factors of original and noise in latents at a call.
std::pair<double, double> mixture(const Scheduler& scheduler, std::size_t call) {
  std::vector<float> latents = {1, 0};
  scheduler.add_noise(latents, std::vector<float>{0, 1}, call);
  return {latents[0], latents[1]};
}

// What a model that knows the original 0.7 and the noise -1.3 predicts.
constexpr double original = 0.7, noise = -1.3;
float perfect_prediction(const Scheduler& scheduler, std::size_t call, PredictionType type) {
  const auto [signal, sigma] = mixture(scheduler, call);
  const double norm = std::hypot(signal, sigma);
  switch (type) {
    case PredictionType::Epsilon: return static_cast<float>(noise);
    case PredictionType::Velocity: return static_cast<float>((signal * noise - sigma * original) / norm);
    default: return static_cast<float>(original);
  }
}

// Where a run under that model ends.
double end_of_perfect_run(Scheduler& scheduler, PredictionType type, std::uint32_t steps, std::uint32_t first_step) {
  scheduler.set_timesteps(steps, first_step);
  std::vector<float> latents = {static_cast<float>(original)};
  scheduler.add_noise(latents, std::vector<float>{static_cast<float>(noise)}, 0);
  for (std::size_t call = 0; call < scheduler.timesteps().size(); ++call) {
    const std::vector<float> prediction = {perfect_prediction(scheduler, call, type)};
    scheduler.step(call, prediction, latents, std::vector<float>{0});
  }
  return latents[0];
}

TEST(Scheduler, NamesGoBothWays) {
  for (const SchedulerKind kind : all_kinds) EXPECT_EQ(parse_scheduler_kind(to_string(kind)), kind);
  EXPECT_EQ(refusal([] { parse_scheduler_kind("ddpm"); }),
            "There is no scheduler 'ddpm'; there are pndm, ddim, euler, euler-a, dpm++2m, dpm++2m-karras, lcm.");
}

// With perfect predictions every solver, of whatever order, is exact.
TEST(Scheduler, PerfectPredictionsLeadToTheOriginal) {
  for (const PredictionType type : {PredictionType::Epsilon, PredictionType::Velocity, PredictionType::Sample}) {
    for (const TimestepSpacing spacing :
         {TimestepSpacing::Leading, TimestepSpacing::Trailing, TimestepSpacing::Linspace}) {
      for (const std::uint32_t first_step : {0u, 1u, 7u, 19u}) {
        SchedulerConfig config = stable_diffusion();
        config.set_alpha_to_one = true;
        config.timestep_spacing = spacing;
        config.prediction_type = type;
        const auto end = [&](SchedulerKind kind) {
          return end_of_perfect_run(*make_scheduler(kind, config), type, 20, first_step);
        };
        SCOPED_TRACE(std::to_string(static_cast<int>(type)) + " " + std::to_string(static_cast<int>(spacing)) + " " +
                     std::to_string(first_step));
        EXPECT_NEAR(end(SchedulerKind::Euler), original, 1e-4);
        config.use_karras_sigmas = true;
        EXPECT_NEAR(end(SchedulerKind::Euler), original, 1e-4);
        for (const SolverType solver : {SolverType::Midpoint, SolverType::Heun}) {
          for (const std::uint32_t order : {1u, 2u, 3u}) {
            config.solver_type = solver;
            config.solver_order = order;
            EXPECT_NEAR(end(SchedulerKind::DpmSolver), original, 1e-5) << order;
            EXPECT_NEAR(end(SchedulerKind::DpmSolverKarras), original, 1e-5) << order;
          }
        }
        // These step by a whole number of timesteps, which linspace's are not apart.
        if (spacing == TimestepSpacing::Linspace) continue;
        EXPECT_NEAR(end(SchedulerKind::Ddim), original, 1e-5);
        if (type != PredictionType::Epsilon) continue;
        EXPECT_NEAR(end(SchedulerKind::Pndm), original, 1e-5);
        config.skip_prk_steps = false;
        if (first_step > 16) continue;
        EXPECT_NEAR(end(SchedulerKind::Pndm), original, 1e-5);
      }
    }
  }
}

TEST(Scheduler, PndmRepeatsItsSecondTimestep) {
  const auto scheduler = make_scheduler(SchedulerKind::Pndm, stable_diffusion());
  scheduler->set_timesteps(5);
  EXPECT_THAT(scheduler->timesteps(), ElementsAre(801, 601, 601, 401, 201, 1));
  scheduler->set_timesteps(5, 2);
  EXPECT_THAT(scheduler->timesteps(), ElementsAre(401, 201, 201, 1));
  scheduler->set_timesteps(1);
  EXPECT_THAT(scheduler->timesteps(), ElementsAre(1));
}

TEST(Scheduler, PndmBeginsWithRungeKuttaWhereTheConfigurationSaysSo) {
  SchedulerConfig config = stable_diffusion();
  config.skip_prk_steps = false;
  const auto scheduler = make_scheduler(SchedulerKind::Pndm, config);
  scheduler->set_timesteps(5);
  EXPECT_THAT(scheduler->timesteps(), ElementsAre(801, 701, 701, 601, 601, 501, 501, 401, 401, 301, 301, 201, 201, 1));
  EXPECT_EQ(refusal([&] { scheduler->set_timesteps(5, 2); }),
            "The scheduler pndm with Runge-Kutta steps runs over 3 steps; it needs at least 4.");
}

// Against a run of 500 steps under predictions that change with the timestep.
TEST(Scheduler, HigherOrdersAreNearerToTheTruth) {
  SchedulerConfig config = stable_diffusion();
  config.timestep_spacing = TimestepSpacing::Trailing;
  const auto end = [&](SchedulerKind kind, std::uint32_t steps) {
    const auto scheduler = make_scheduler(kind, config);
    scheduler->set_timesteps(steps);
    std::vector<float> latents = {1};
    for (std::size_t call = 0; call < scheduler->timesteps().size(); ++call) {
      const double t = scheduler->timesteps()[call];
      const std::vector<float> prediction = {static_cast<float>(0.3 * latents[0] + 0.1 * std::sin(t / 100))};
      scheduler->step(call, prediction, latents);
    }
    return latents[0];
  };
  const double truth = end(SchedulerKind::Pndm, 500);
  const double first_order = std::abs(end(SchedulerKind::Ddim, 20) - truth);
  const double fourth_order = std::abs(end(SchedulerKind::Pndm, 20) - truth);
  config.skip_prk_steps = false;
  const double runge_kutta = std::abs(end(SchedulerKind::Pndm, 20) - truth);
  EXPECT_LT(fourth_order, first_order / 2);
  EXPECT_LT(runge_kutta, first_order / 2);
}

// Latents are pure noise where the original is 0, and a model that says so leaves noise of the next call's deviation.
TEST(Scheduler, FreshNoiseKeepsTheVariance) {
  SchedulerConfig config = stable_diffusion();
  config.prediction_type = PredictionType::Sample;
  for (const double eta : {0.0, 0.5, 1.0}) {
    config.eta = eta;
    for (const SchedulerKind kind : {SchedulerKind::Ddim, SchedulerKind::EulerAncestral}) {
      const auto scheduler = make_scheduler(kind, config);
      scheduler->set_timesteps(10);
      EXPECT_EQ(scheduler->draws_noise(3), kind == SchedulerKind::EulerAncestral || eta > 0);
      for (std::size_t call = 0; call + 1 < 10; ++call) {
        std::vector<float> latents = {static_cast<float>(mixture(*scheduler, call).second), 0};
        scheduler->step(call, std::vector<float>{0, 0}, latents, std::vector<float>{0, 1});
        EXPECT_NEAR(std::hypot(latents[0], latents[1]), mixture(*scheduler, call + 1).second, 1e-5);
      }
    }
  }
}

TEST(Scheduler, DrawsNoNoiseInTheLastCall) {
  for (const SchedulerKind kind : {SchedulerKind::EulerAncestral, SchedulerKind::Lcm}) {
    const auto scheduler = make_scheduler(kind, stable_diffusion());
    scheduler->set_timesteps(3);
    EXPECT_TRUE(scheduler->draws_noise(0) && scheduler->draws_noise(1));
    EXPECT_FALSE(scheduler->draws_noise(2));
  }
}

TEST(Scheduler, ClipsTheOriginal) {
  SchedulerConfig config = stable_diffusion();
  config.clip_sample = true;
  config.clip_sample_range = 2;
  config.prediction_type = PredictionType::Sample;
  config.set_alpha_to_one = true;
  for (const SchedulerKind kind : {SchedulerKind::Ddim, SchedulerKind::Lcm}) {
    const auto scheduler = make_scheduler(kind, config);
    scheduler->set_timesteps(1);
    std::vector<float> latents = {0, 0, 0};
    scheduler->step(0, std::vector<float>{5, -5, 1}, latents);
    // The noise that 5 would mean is kept; at the end of a run there is none left.
    EXPECT_THAT(latents, ElementsAre(::testing::FloatNear(2, 1e-4F), ::testing::FloatNear(-2, 1e-4F),
                                     ::testing::FloatNear(1, 1e-4F)));
  }
}

TEST(Scheduler, ImageToImageSkipsSteps) {
  for (const SchedulerKind kind : all_kinds) {
    if (kind == SchedulerKind::Pndm) continue;
    const auto whole = make_scheduler(kind, stable_diffusion());
    const auto part = make_scheduler(kind, stable_diffusion());
    whole->set_timesteps(10);
    part->set_timesteps(10, 4);
    EXPECT_THAT(part->timesteps(), ::testing::ElementsAreArray(whole->timesteps().subspan(4))) << to_string(kind);
    EXPECT_EQ(mixture(*part, 2), mixture(*whole, 6));
    EXPECT_EQ(part->init_noise_sigma(), whole->init_noise_sigma());
  }
}

TEST(Scheduler, ASecondRunForgetsTheFirst) {
  for (const SchedulerKind kind : all_kinds) {
    const auto scheduler = make_scheduler(kind, stable_diffusion());
    std::vector<float> ends;
    for (int run = 0; run < 2; ++run) {
      scheduler->set_timesteps(6);
      std::vector<float> latents = {1};
      for (std::size_t call = 0; call < scheduler->timesteps().size(); ++call) {
        const std::vector<float> prediction = {0.3F * latents[0] + static_cast<float>(call)};
        scheduler->step(call, prediction, latents, std::vector<float>{0.5F});
      }
      ends.push_back(latents[0]);
    }
    EXPECT_EQ(ends[0], ends[1]) << to_string(kind);
  }
}

TEST(Scheduler, AnEmptyBatchOfLatentsIsNoFault) {
  const auto scheduler = make_scheduler(SchedulerKind::Euler, stable_diffusion());
  scheduler->set_timesteps(2);
  scheduler->step(0, {}, {});
}

TEST(Scheduler, SchedulesWithoutSignalAtTheEnd) {
  SchedulerConfig config = stable_diffusion();
  config.rescale_betas_zero_snr = true;
  config.prediction_type = PredictionType::Velocity;
  config.timestep_spacing = TimestepSpacing::Trailing;
  config.set_alpha_to_one = true;
  const auto ddim = make_scheduler(SchedulerKind::Ddim, config);
  EXPECT_NEAR(end_of_perfect_run(*ddim, PredictionType::Velocity, 20, 0), original, 1e-5);
  EXPECT_EQ(mixture(*ddim, 0), std::pair(0.0, 1.0));
  const auto euler = make_scheduler(SchedulerKind::Euler, config);
  euler->set_timesteps(20);
  EXPECT_NEAR(euler->init_noise_sigma(), 4096, 1);
  config.prediction_type = PredictionType::Epsilon;
  EXPECT_THAT(refusal([&] { make_scheduler(SchedulerKind::Ddim, config); }), HasSubstr("rescale_betas_zero_snr"));
}

TEST(Scheduler, RefusesStepsPastTheirLimits) {
  for (const SchedulerKind kind : all_kinds) {
    const auto scheduler = make_scheduler(kind, stable_diffusion());
    EXPECT_THAT(refusal([&] { scheduler->set_timesteps(0); }), HasSubstr("The number of steps is 0, but must be"));
    EXPECT_THAT(refusal([&] { scheduler->set_timesteps(1001); }), HasSubstr("steps is 1001, but must be between 1"));
    EXPECT_THAT(refusal([&] { scheduler->set_timesteps(std::numeric_limits<std::uint32_t>::max()); }),
                HasSubstr("4294967295"));
    EXPECT_THAT(refusal([&] { scheduler->set_timesteps(4, 4); }), HasSubstr("leaves none"));
  }
  EXPECT_EQ(refusal([] { make_scheduler(SchedulerKind::Ddim, stable_diffusion())->set_timesteps(1000); }),
            "1000 steps reach the timestep 1000, but the model was trained on 0 to 999.");
  EXPECT_EQ(refusal([] { make_scheduler(SchedulerKind::Lcm, stable_diffusion())->set_timesteps(51); }),
            "The number of steps is 51, but must be between 1 and 50.");
}

TEST(Scheduler, RefusesNumbersThatMakeNoSchedule) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [](auto change, SchedulerKind kind = SchedulerKind::Ddim) {
    SchedulerConfig config = stable_diffusion();
    change(config);
    return refusal([&] { make_scheduler(kind, config); });
  };
  EXPECT_THAT(refused([&](auto& c) { c.beta_start = nan; }), HasSubstr("The first beta is nan"));
  EXPECT_THAT(refused([&](auto& c) { c.beta_end = 1.0; }), HasSubstr("The last beta is 1,"));
  EXPECT_THAT(refused([&](auto& c) { c.beta_start = -0.1; }), HasSubstr("The first beta is -0.1"));
  EXPECT_THAT(refused([&](auto& c) { c.num_train_timesteps = 0; }), HasSubstr("training timesteps is 0"));
  EXPECT_THAT(refused([&](auto& c) { c.num_train_timesteps = 4000000000; }), HasSubstr("4000000000"));
  EXPECT_THAT(refused([&](auto& c) { c.trained_betas = {0.1, 0.2}; }), HasSubstr("There are 2 trained betas"));
  EXPECT_THAT(refused([&](auto& c) { c.trained_betas.assign(1000, 0.5); }), HasSubstr("sigmas must be finite"));
  EXPECT_THAT(refused([&](auto& c) { c.eta = nan; }), HasSubstr("eta of the scheduler ddim is nan"));
  EXPECT_THAT(refused([&](auto& c) { c.clip_sample_range = nan; }), HasSubstr("The range of clipping is nan"));
  EXPECT_THAT(refused([&](auto& c) { c.solver_order = 4; }, SchedulerKind::DpmSolver), HasSubstr("order is 4"));
  EXPECT_THAT(refused([&](auto& c) { c.lambda_min_clipped = 100; }, SchedulerKind::DpmSolver), HasSubstr("leaves 0"));
  EXPECT_THAT(refused([&](auto& c) { c.algorithm_type = "sde-dpmsolver++"; }, SchedulerKind::DpmSolver),
              HasSubstr("Unsupported: The key 'algorithm_type' is 'sde-dpmsolver++'"));
  EXPECT_THAT(refused([&](auto& c) { c.original_inference_steps = 1001; }, SchedulerKind::Lcm), HasSubstr("1001"));
  EXPECT_THAT(refused([&](auto& c) { c.timestep_scaling = 0; }, SchedulerKind::Lcm), HasSubstr("scaling is 0"));
  EXPECT_THAT(refused([&](auto& c) { c.prediction_type = PredictionType::Sample; }, SchedulerKind::Pndm),
              HasSubstr("Unsupported"));
}

TEST(Scheduler, CallsOutOfOrderAreFaults) {
  const auto scheduler = make_scheduler(SchedulerKind::Pndm, stable_diffusion());
  std::vector<float> latents = {1, 2};
  EXPECT_THROW(scheduler->step(0, latents, latents), InternalError);
  scheduler->set_timesteps(3);
  EXPECT_THROW(scheduler->step(1, latents, latents), InternalError);
  EXPECT_THROW(scheduler->step(0, std::vector<float>{1}, latents), InternalError);
  EXPECT_THROW(scheduler->draws_noise(4), InternalError);
  EXPECT_THROW(scheduler->add_noise(latents, {}, 0), InternalError);
}

}  // namespace
}  // namespace driftwood::diffusion

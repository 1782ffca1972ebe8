#include "diffusion/scheduler_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "diffusion/scheduler.h"
#include "support/oracle.h"

namespace driftwood::diffusion {
namespace {

using ::testing::HasSubstr;

SchedulerConfig read(std::string_view text) { return scheduler_config(text, "scheduler/scheduler_config.json"); }

std::string refusal(const std::string& keys) {
  try {
    read(R"({"_class_name": "DDIMScheduler", )" + keys + "}");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(SchedulerConfig, ReadsStableDiffusion) {
  const SchedulerConfig config =
      read(test::read_json(DRIFTWOOD_TEST_DATA "/sd/tiny/scheduler/scheduler_config.json").dump());
  EXPECT_EQ(default_scheduler(config), SchedulerKind::Pndm);
  EXPECT_EQ(config.num_train_timesteps, 1000u);
  EXPECT_EQ(config.beta_start, 0.00085);
  EXPECT_EQ(config.beta_end, 0.012);
  EXPECT_EQ(config.beta_schedule, BetaSchedule::ScaledLinear);
  EXPECT_EQ(config.set_alpha_to_one, false);
  EXPECT_EQ(config.steps_offset, 1u);
  EXPECT_TRUE(config.skip_prk_steps);
  EXPECT_EQ(config.timestep_spacing, std::nullopt);
}

TEST(SchedulerConfig, NamesTheSchedulerOfEachClass) {
  const auto kind = [](const std::string& name, const std::string& more = "") {
    return default_scheduler(read(R"({"_class_name": ")" + name + "\"" + more + "}"));
  };
  EXPECT_EQ(kind("PNDMScheduler"), SchedulerKind::Pndm);
  EXPECT_EQ(kind("DDIMScheduler"), SchedulerKind::Ddim);
  EXPECT_EQ(kind("EulerDiscreteScheduler"), SchedulerKind::Euler);
  EXPECT_EQ(kind("EulerAncestralDiscreteScheduler"), SchedulerKind::EulerAncestral);
  EXPECT_EQ(kind("DPMSolverMultistepScheduler"), SchedulerKind::DpmSolver);
  EXPECT_EQ(kind("DPMSolverMultistepScheduler", R"(, "use_karras_sigmas": true)"), SchedulerKind::DpmSolverKarras);
  EXPECT_EQ(kind("LCMScheduler"), SchedulerKind::Lcm);
  try {
    kind("LMSDiscreteScheduler");
    FAIL();
  } catch (const Unsupported& error) {
    EXPECT_EQ(error.message(),
              "The key '_class_name' is 'LMSDiscreteScheduler'; supported are PNDMScheduler, DDIMScheduler, "
              "EulerDiscreteScheduler, EulerAncestralDiscreteScheduler, DPMSolverMultistepScheduler, LCMScheduler.");
  }
}

TEST(SchedulerConfig, ReadsEveryKey) {
  const SchedulerConfig config = read(R"({
    "_class_name": "DPMSolverMultistepScheduler", "_diffusers_version": "0.30.0", "num_train_timesteps": 3,
    "trained_betas": [0.1, 0.2, 0.3], "beta_schedule": "squaredcos_cap_v2", "prediction_type": "v_prediction",
    "timestep_spacing": "trailing", "rescale_betas_zero_snr": true, "clip_sample": true, "clip_sample_range": 4.0,
    "use_karras_sigmas": false, "final_sigmas_type": "sigma_min", "algorithm_type": "dpmsolver++",
    "solver_type": "bh2", "solver_order": 3, "lower_order_final": false, "euler_at_final": true,
    "lambda_min_clipped": -5.1, "original_inference_steps": 20, "timestep_scaling": 5.0, "thresholding": false,
    "variance_type": null, "interpolation_type": "linear"})");
  EXPECT_THAT(config.trained_betas, ::testing::ElementsAre(0.1, 0.2, 0.3));
  EXPECT_EQ(config.beta_schedule, BetaSchedule::SquaredCosine);
  EXPECT_EQ(config.prediction_type, PredictionType::Velocity);
  EXPECT_EQ(config.timestep_spacing, TimestepSpacing::Trailing);
  EXPECT_TRUE(config.rescale_betas_zero_snr);
  EXPECT_EQ(config.clip_sample, true);
  EXPECT_EQ(config.clip_sample_range, 4);
  EXPECT_EQ(config.final_sigmas_type, FinalSigma::Least);
  EXPECT_EQ(config.solver_type, SolverType::Midpoint);
  EXPECT_EQ(config.solver_order, 3u);
  EXPECT_FALSE(config.lower_order_final);
  EXPECT_TRUE(config.euler_at_final);
  EXPECT_EQ(config.lambda_min_clipped, -5.1);
  EXPECT_EQ(config.original_inference_steps, 20u);
  EXPECT_EQ(config.timestep_scaling, 5);
}

TEST(SchedulerConfig, TakesPythonsInfinityWherePythonWritesIt) {
  const auto config =
      read(R"({"_class_name": "DPMSolverMultistepScheduler", "note": "\"-Infinity", "lambda_min_clipped": -Infinity})");
  EXPECT_LE(config.lambda_min_clipped, -1e300);
  make_scheduler(SchedulerKind::DpmSolver, config)->set_timesteps(20);
  EXPECT_THAT(refusal(R"("beta_start": -Infinity)"), HasSubstr("The key 'beta_start' is -1e+308"));
  EXPECT_THAT(refusal(R"("beta_start": NaN)"), HasSubstr("scheduler's configuration"));
}

TEST(SchedulerConfig, RefusesWhatItCannotUse) {
  EXPECT_THAT(refusal(R"("num_train_timesteps": 1e30)"), HasSubstr("integer between 2 and 100000"));
  EXPECT_THAT(refusal(R"("num_train_timesteps": -4)"), HasSubstr("'num_train_timesteps' is -4"));
  EXPECT_THAT(refusal(R"("beta_start": "small")"), HasSubstr("'beta_start' is 'small'"));
  EXPECT_THAT(refusal(R"("beta_end": 2)"), HasSubstr("'beta_end' is 2"));
  EXPECT_THAT(refusal(R"("beta_schedule": "sigmoid")"), HasSubstr("supported are linear, scaled_linear, squaredcos"));
  EXPECT_THAT(refusal(R"("timestep_spacing": "wide")"), HasSubstr("supported are leading, linspace, trailing."));
  EXPECT_THAT(refusal(R"("thresholding": true)"), HasSubstr("The key 'thresholding' is true"));
  EXPECT_THAT(refusal(R"("use_beta_sigmas": true)"), HasSubstr("The key 'use_beta_sigmas' is true"));
  EXPECT_THAT(refusal(R"("timestep_type": "continuous")"), HasSubstr("only discrete is supported"));
  EXPECT_THAT(refusal(R"("variance_type": "learned_range")"), HasSubstr("predict a variance"));
  EXPECT_THAT(refusal(R"("solver_order": 0)"), HasSubstr("between 1 and 3"));
  EXPECT_THAT(refusal(R"("beta_start": 0.1)") + refusal(R"("beta_end": 2)"),
              HasSubstr("While reading 'scheduler/scheduler_config.json'."));
  EXPECT_THROW(read("[1]"), InvalidInput);
  EXPECT_THROW(read("{}"), InvalidInput);
  EXPECT_THROW(read(""), InvalidInput);
  EXPECT_THROW(read(std::string(5 << 20, ' ')), InvalidInput);
}

TEST(SchedulerConfig, KeysThatAFileLeavesOutHaveTheDefaultsOfTheSchedulerUsed) {
  const SchedulerConfig config = read(R"({"_class_name": "PNDMScheduler"})");
  const auto first = [&](SchedulerKind kind) {
    const auto scheduler = make_scheduler(kind, config);
    scheduler->set_timesteps(5);
    return scheduler->timesteps().front();
  };
  EXPECT_EQ(first(SchedulerKind::Ddim), 800);
  EXPECT_EQ(first(SchedulerKind::Euler), 999);
  EXPECT_EQ(first(SchedulerKind::DpmSolver), 999);
}

TEST(SchedulerConfig, ForLatentsNothingIsClippedAndTimestepsBeginAtOne) {
  const SchedulerConfig config = for_latents(read(R"({"_class_name": "DDIMScheduler"})"));
  EXPECT_EQ(config.clip_sample, false);
  const auto scheduler = make_scheduler(SchedulerKind::Ddim, config);
  scheduler->set_timesteps(5);
  EXPECT_EQ(scheduler->timesteps().back(), 1);
}

}  // namespace
}  // namespace driftwood::diffusion

// Timesteps, sigmas and paths of ten schedulers against diffusers: tests/data/sd/schedulers.json.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "diffusion/scheduler.h"
#include "support/oracle.h"

namespace driftwood::diffusion {
namespace {

using nlohmann::json;

const json& oracle() {
  static const json document = test::read_json(DRIFTWOOD_TEST_DATA "/sd/schedulers.json");
  return document;
}

// The kinds by the oracle's names; what stands behind an underscore is an option.
SchedulerKind kind_of(const std::string& name) {
  if (name.starts_with("euler_ancestral")) return SchedulerKind::EulerAncestral;
  if (name.starts_with("euler")) return SchedulerKind::Euler;
  if (name.starts_with("ddim")) return SchedulerKind::Ddim;
  if (name == "dpmpp_2m") return SchedulerKind::DpmSolver;
  if (name == "dpmpp_2m_karras") return SchedulerKind::DpmSolverKarras;
  return parse_scheduler_kind(name);
}

struct Case {
  const json& values;

  std::string name() const {
    return values["scheduler"].get<std::string>() + " at " + std::to_string(values["steps"].get<int>()) + " steps";
  }
  std::unique_ptr<Scheduler> scheduler() const {
    json config = oracle()["about"]["config"];
    config.update(values["options"]);
    auto result = make_scheduler(kind_of(values["scheduler"]), scheduler_config(config.dump(), "the oracle"));
    result->set_timesteps(values["steps"]);
    return result;
  }
};

// The formula that stands for the UNet.
std::vector<float> predict(const std::vector<float>& latents, double timestep) {
  std::vector<float> result;
  for (const float value : latents) result.push_back(static_cast<float>(0.3 * value + 0.1 * std::sin(timestep / 100)));
  return result;
}

TEST(SchedulerOracle, HasFortyCases) { EXPECT_EQ(oracle()["cases"].size(), 40u); }

TEST(SchedulerOracle, TimestepsAndInitialSigma) {
  for (const json& values : oracle()["cases"]) {
    const Case one{values};
    SCOPED_TRACE(one.name());
    const auto scheduler = one.scheduler();
    const std::vector<double> expected = values["timesteps"];
    ASSERT_EQ(scheduler->timesteps().size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(scheduler->timesteps()[i], expected[i], 1e-5 * std::max(1.0, expected[i])) << i;
    }
    const double initial = values["init_noise_sigma"];
    EXPECT_NEAR(scheduler->init_noise_sigma(), initial, 1e-5 * initial);
  }
}

TEST(SchedulerOracle, Sigmas) {
  int seen = 0;
  for (const json& values : oracle()["cases"]) {
    if (!values.contains("sigmas")) continue;
    const Case one{values};
    SCOPED_TRACE(one.name());
    const auto scheduler = one.scheduler();
    const std::vector<double> expected = values["sigmas"];
    ASSERT_EQ(scheduler->timesteps().size() + 1, expected.size());
    for (std::size_t i = 0; i + 1 < expected.size(); ++i) {
      std::vector<float> latents = {1, 0};
      scheduler->add_noise(latents, std::vector<float>{0, 1}, i);
      EXPECT_NEAR(latents[1] / latents[0], expected[i], 1e-5 * expected[i]) << i;
      ++seen;
    }
  }
  EXPECT_EQ(seen, 6 * (4 + 10 + 20 + 50));
}

TEST(SchedulerOracle, Paths) {
  const std::vector<std::vector<float>> noises = oracle()["noises"];
  double worst = 0;
  for (const json& values : oracle()["cases"]) {
    const Case one{values};
    SCOPED_TRACE(one.name());
    const auto scheduler = one.scheduler();
    std::vector<float> latents = oracle()["initial"];
    for (float& value : latents) value = static_cast<float>(value * scheduler->init_noise_sigma());
    const std::vector<std::vector<double>> path = values["path"];
    ASSERT_EQ(scheduler->timesteps().size(), path.size());
    for (std::size_t call = 0; call < path.size(); ++call) {
      std::vector<float> input = latents;
      scheduler->scale_model_input(input, call);
      const std::vector<float> prediction = predict(input, scheduler->timesteps()[call]);
      scheduler->step(call, prediction, latents, scheduler->draws_noise(call) ? noises[call] : std::vector<float>{});
      const double error = test::relative_error(latents, path[call]);
      EXPECT_LT(error, 1e-5) << "after call " << call;
      worst = std::max(worst, error);
    }
  }
  RecordProperty("worst_relative_l2", fmt::format("{:.2e}", worst));
}

}  // namespace
}  // namespace driftwood::diffusion

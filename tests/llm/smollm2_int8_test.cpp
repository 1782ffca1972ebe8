// SmolLM2-135M-Instruct with 8-bit activations against the oracle of tests/data/real, within the tolerances that its
// README gives for them: logits 1.0 (rms 0.4), likelihood 0.01, greedy tokens one by one where the margin is over 0.5.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "llm/log_sum_exp.h"
#include "llm/session.h"
#include "support/devices.h"
#include "support/model_file.h"
#include "support/oracle.h"

namespace driftwood::llm {
namespace {

constexpr double largest_logit = 1.0, rms_logit = 0.4, likelihood = 0.01, clear_margin = 0.5;

nlohmann::json oracle(const std::string& name) {
  return test::read_json(std::string(DRIFTWOOD_TEST_DATA) + "/real/smollm2-135m/" + name + ".json");
}

class SmolLm2Int8 : public testing::Test {
 protected:
  static Session* session() {
    static const auto path = test::model_file("SmolLM2-135M-Instruct.Q4_1.gguf");
    if (!path || test::device("opencl:0") == nullptr) return nullptr;
    static const auto checkpoint = models::Checkpoint::open(*path);
    static std::unique_ptr<Session> session;
    if (!session) {
      SessionSettings settings{.context = 2048};
      settings.options.activations = graph::ActivationMode::Int8;
      session = std::make_unique<Session>(*test::device("opencl:0"), checkpoint, settings);
    }
    return session.get();
  }
  void SetUp() override {
    if (session() == nullptr)
      GTEST_SKIP() << "the model (tools/fetch_models.sh smollm2) or an OpenCL device is missing";
    session()->reset();
  }
};

TEST_F(SmolLm2Int8, SaysThatItRuns) { EXPECT_EQ(session()->activations(), graph::ActivationMode::Int8); }

TEST_F(SmolLm2Int8, LogitsOfSinglePositions) {
  for (const nlohmann::json& prompt : oracle("logits")) {
    SCOPED_TRACE(prompt["name"].get<std::string>());
    session()->reset();
    const std::vector<float> logits = session()->feed(prompt["prompt_ids"].get<std::vector<std::int32_t>>());
    double largest = 0, squares = 0;
    const std::size_t count = prompt["top_ids"].size();
    for (std::size_t i = 0; i < count; ++i) {
      const double error =
          std::abs(logits[prompt["top_ids"][i].get<std::size_t>()] - prompt["top_logits"][i].get<double>());
      largest = std::max(largest, error);
      squares += error * error;
    }
    EXPECT_LE(largest, largest_logit);
    EXPECT_LE(std::sqrt(squares / static_cast<double>(count)), rms_logit);
    EXPECT_GT(largest, 0.001) << "the activations were not rounded";
  }
}

TEST_F(SmolLm2Int8, LikelihoodOfAText) {
  const nlohmann::json expected = oracle("perplexity");
  const auto ids = expected["ids"].get<std::vector<std::int32_t>>();
  double sum = 0;
  session()->feed_all(ids, [&](std::size_t i, std::span<const float> logits) {
    if (i + 1 < ids.size()) sum += log_sum_exp(logits) - logits[static_cast<std::size_t>(ids[i + 1])];
  });
  EXPECT_NEAR(sum / static_cast<double>(ids.size() - 1), expected["mean_nll"].get<double>(), likelihood);
}

TEST_F(SmolLm2Int8, GreedyTokensWhereTheMarginIsClear) {
  for (const nlohmann::json& prompt : oracle("generate")) {
    SCOPED_TRACE(prompt["prompt"].get<std::string>());
    const auto expected = prompt["greedy_ids"].get<std::vector<std::int32_t>>();
    session()->reset();
    std::vector<float> logits = session()->feed(prompt["prompt_ids"].get<std::vector<std::int32_t>>());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto best = std::max_element(logits.begin(), logits.end()) - logits.begin();
      if (prompt["margins"][i].get<double>() > clear_margin) {
        EXPECT_EQ(best, expected[i]) << "token " << i;
      }
      if (i + 1 < expected.size()) logits = session()->feed(std::span(&expected[i], 1));
    }
  }
}

}  // namespace
}  // namespace driftwood::llm

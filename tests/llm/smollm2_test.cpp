// SmolLM2-135M-Instruct on the OpenCL device against the oracle of tests/data/real (its README gives the tolerances:
// single precision: logits within 0.01, likelihood within 0.0002, greedy tokens equal; halves: 0.15 and 0.003).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>

#include "llm/generate.h"
#include "llm/log_sum_exp.h"
#include "llm/session.h"
#include "support/devices.h"
#include "support/oracle.h"

namespace driftwood::llm {
namespace {

// Single precision, and what a device does by default: halves in the KV cache of a GPU.
struct Tolerance {
  double logit, likelihood;
};
constexpr Tolerance single{0.01, 0.0002}, half{0.15, 0.003};

nlohmann::json oracle(const std::string& name) {
  return test::read_json(std::string(DRIFTWOOD_TEST_DATA) + "/real/smollm2-135m/" + name + ".json");
}

class SmolLm2 : public testing::Test {
 protected:
  static Session* session(graph::Precision precision = graph::Precision::F32) {
    static const std::filesystem::path path =
        std::filesystem::path(DRIFTWOOD_SOURCE_DIR) / "models/SmolLM2-135M-Instruct.Q4_1.gguf";
    if (!std::filesystem::exists(path) || test::device("opencl:0") == nullptr) return nullptr;
    static const auto checkpoint = models::Checkpoint::open(path);
    static std::map<graph::Precision, std::unique_ptr<Session>> sessions;
    auto& instance = sessions[precision];
    if (!instance) {
      SessionSettings settings{.context = 2048};
      settings.options.precision = precision;
      instance = std::make_unique<Session>(*test::device("opencl:0"), checkpoint, settings);
    }
    return instance.get();
  }
  void SetUp() override {
    if (session() == nullptr)
      GTEST_SKIP() << "the model (tools/fetch_models.sh smollm2) or an OpenCL device is missing";
    session()->reset();
  }
};

void expect_logits(const nlohmann::json& expected, std::span<const float> logits,
                   double logit_tolerance = single.logit) {
  for (std::size_t i = 0; i < expected["top_ids"].size(); ++i)
    ASSERT_NEAR(logits[expected["top_ids"][i].get<std::size_t>()], expected["top_logits"][i].get<double>(),
                logit_tolerance);
  EXPECT_NEAR(log_sum_exp(logits), expected["logsumexp"].get<double>(), logit_tolerance);
  double sum = 0, squares = 0;
  for (const float logit : logits) sum += logit;
  const double mean = sum / static_cast<double>(logits.size());
  for (const float logit : logits) squares += (logit - mean) * (logit - mean);
  EXPECT_NEAR(mean, expected["mean"].get<double>(), logit_tolerance);
  EXPECT_NEAR(std::sqrt(squares / static_cast<double>(logits.size())), expected["std"].get<double>(), logit_tolerance);
}

TEST_F(SmolLm2, LogitsOfSinglePositions) {
  for (const nlohmann::json& prompt : oracle("logits")) {
    SCOPED_TRACE(prompt["name"].get<std::string>());
    const auto ids = prompt["prompt_ids"].get<std::vector<std::int32_t>>();
    session()->reset();
    expect_logits(prompt, session()->feed(ids));
    session()->reset();
    session()->feed_all(ids, [&](std::size_t position, std::span<const float> logits) {
      for (const nlohmann::json& other : prompt["others"])
        if (other["position"] == position) expect_logits(other, logits);
      if (prompt["position"] == position) expect_logits(prompt, logits);
    });
  }
}

TEST_F(SmolLm2, LikelihoodOfAText) {
  const nlohmann::json expected = oracle("perplexity");
  const auto ids = expected["ids"].get<std::vector<std::int32_t>>();
  double sum = 0;
  session()->feed_all(ids, [&](std::size_t i, std::span<const float> logits) {
    if (i + 1 < ids.size()) sum += log_sum_exp(logits) - logits[static_cast<std::size_t>(ids[i + 1])];
  });
  EXPECT_NEAR(sum / static_cast<double>(ids.size() - 1), expected["mean_nll"].get<double>(), single.likelihood);
}

TEST_F(SmolLm2, DefaultPrecisionOfAGpu) {
  if (test::device("opencl:0")->facts().is_cpu) GTEST_SKIP() << "a CPU keeps single precision by default";
  Session& automatic = *session(graph::Precision::Auto);
  for (const nlohmann::json& prompt : oracle("logits")) {
    SCOPED_TRACE(prompt["name"].get<std::string>());
    automatic.reset();
    expect_logits(prompt, automatic.feed(prompt["prompt_ids"].get<std::vector<std::int32_t>>()), half.logit);
  }
  const nlohmann::json expected = oracle("perplexity");
  const auto ids = expected["ids"].get<std::vector<std::int32_t>>();
  double sum = 0;
  automatic.reset();
  automatic.feed_all(ids, [&](std::size_t i, std::span<const float> logits) {
    if (i + 1 < ids.size()) sum += log_sum_exp(logits) - logits[static_cast<std::size_t>(ids[i + 1])];
  });
  EXPECT_NEAR(sum / static_cast<double>(ids.size() - 1), expected["mean_nll"].get<double>(), half.likelihood);
}

TEST_F(SmolLm2, GreedyTokens) {
  for (const nlohmann::json& prompt : oracle("generate")) {
    SCOPED_TRACE(prompt["prompt"].get<std::string>());
    const auto expected = prompt["greedy_ids"].get<std::vector<std::int32_t>>();
    session()->reset();
    const Generated generated =
        generate(*session(), nullptr, prompt["prompt_ids"].get<std::vector<std::int32_t>>(),
                 {.max_tokens = static_cast<std::uint32_t>(expected.size()), .sampler = {.temperature = 0}});
    EXPECT_EQ(generated.tokens, expected);
  }
}

TEST_F(SmolLm2, PlannedActivationsAreAThirdOfNaiveAtMost) {
  const graph::MemoryReport prefill = session()->prefill_program().memory(),
                            decode = session()->decode_program().memory();
  EXPECT_LE(prefill.activations_planned * 3, prefill.activations_naive);
  EXPECT_LE(decode.activations_planned * 3, decode.activations_naive);
  EXPECT_GT(decode.activations_planned, 0u);
}

TEST_F(SmolLm2, ContextIsNeverExceeded) {
  const std::vector<std::int32_t> too_many(session()->context() + 1, 1);
  EXPECT_THROW(session()->feed(too_many), InvalidInput);
  EXPECT_EQ(session()->position(), 0u);
  EXPECT_THROW(session()->feed(std::vector<std::int32_t>{49152}), InvalidInput);
  EXPECT_THROW(session()->feed(std::vector<std::int32_t>{-1}), InvalidInput);
  EXPECT_THROW(session()->feed(std::vector<std::int32_t>{}), InvalidInput);
}

}  // namespace
}  // namespace driftwood::llm

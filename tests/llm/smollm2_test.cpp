// SmolLM2-135M-Instruct on the OpenCL device against the oracle of tests/data/real.
#include "llm/real_model.h"

namespace driftwood::llm {
namespace {

class SmolLm2 : public ::testing::Test {
 protected:
  static Session* session(graph::Precision precision = graph::Precision::F32, std::optional<DataType> cache_type = {}) {
    return real_session("SmolLM2-135M-Instruct.Q4_1.gguf", precision, cache_type);
  }
  void SetUp() override {
    if (session() == nullptr)
      GTEST_SKIP() << "the model (tools/fetch_models.sh smollm2) or an OpenCL device is missing";
    session()->reset();
  }
  static nlohmann::json oracle(const std::string& name) { return real_oracle("smollm2-135m", name); }
};

TEST_F(SmolLm2, LogitsOfSinglePositions) {
  expect_prompts(*session(), oracle("logits"), single);
  const nlohmann::json prompts = oracle("logits");
  for (const nlohmann::json& prompt : prompts) {
    SCOPED_TRACE(prompt["name"].get<std::string>() + " in one piece");
    session()->reset();
    expect_logits(prompt, session()->feed(prompt["prompt_ids"].get<std::vector<std::int32_t>>()), single);
  }
}

TEST_F(SmolLm2, LikelihoodOfAText) { expect_likelihood(*session(), oracle("perplexity"), single); }

TEST_F(SmolLm2, GreedyTokens) { expect_greedy(*session(), oracle("generate")); }

TEST_F(SmolLm2, DefaultPrecision) {
  Session& automatic = *session(graph::Precision::Auto);
  expect_likelihood(automatic, oracle("perplexity"), half);
  if (test::device("opencl:0")->facts().is_cpu) return;  // where the cache alone is of halves
  expect_prompts(automatic, oracle("logits"), half);
  expect_greedy(automatic, oracle("generate"), half.logit);
}

TEST_F(SmolLm2, CacheOfEightBits) {
  expect_perplexity(*session(graph::Precision::Auto, DataType::Q8_0), oracle("perplexity"), 0.01);
}

// A text that repeats itself: a list to be said again. Drafts are right often, and the answer is the same.
TEST_F(SmolLm2, DraftsLeaveTheTextAsItIs) {
  for (const nlohmann::json& prompt : oracle("generate")) {
    SCOPED_TRACE(prompt["prompt"].get<std::string>());
    auto ids = prompt["prompt_ids"].get<std::vector<std::int32_t>>();
    const auto greedy = prompt["greedy_ids"].get<std::vector<std::int32_t>>();
    if (greedy.size() < 24) continue;
    ids.insert(ids.end(), greedy.begin(), greedy.end());  // and once more from the start
    ids.insert(ids.end(), greedy.begin(), greedy.begin() + 4);
    GenerateSettings settings{.max_tokens = 21, .sampler = {.temperature = 0}};
    session()->reset();
    const Generated plain = generate(*session(), nullptr, ids, settings);
    settings.draft.tokens = 6;
    session()->reset();
    const Generated drafted = generate(*session(), nullptr, ids, settings);
    EXPECT_EQ(drafted.tokens, plain.tokens);
    EXPECT_GT(drafted.accepted, 0u) << "of " << drafted.drafted;
    return;
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

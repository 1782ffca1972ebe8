// SmolLM2-135M-Instruct on the OpenCL device against the oracle of tests/data/real.
#include "llm/real_model.h"

namespace driftwood::llm {
namespace {

class SmolLm2 : public ::testing::Test {
 protected:
  static Session* session(graph::Precision precision = graph::Precision::F32) {
    return real_session("SmolLM2-135M-Instruct.Q4_1.gguf", precision);
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

TEST_F(SmolLm2, DefaultPrecisionOfAGpu) {
  if (test::device("opencl:0")->facts().is_cpu) GTEST_SKIP() << "a CPU keeps single precision by default";
  Session& automatic = *session(graph::Precision::Auto);
  expect_prompts(automatic, oracle("logits"), half);
  expect_likelihood(automatic, oracle("perplexity"), half);
  expect_greedy(automatic, oracle("generate"), half.logit);
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

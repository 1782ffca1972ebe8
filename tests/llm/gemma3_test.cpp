// Gemma 3 270M on the OpenCL device against the oracle of tests/data/real. Its long prompt has 1,650 tokens: the
// positions 511 and 512 are the last whose window reaches the first token and the first whose window does not.
#include "llm/real_model.h"

namespace driftwood::llm {
namespace {

class Gemma3 : public ::testing::Test {
 protected:
  static Session* session(graph::Precision precision = graph::Precision::F32, std::optional<DataType> cache_type = {}) {
    return real_session("gemma-3-270m-q4_k_m.gguf", precision, cache_type);
  }
  void SetUp() override {
    if (session() == nullptr) GTEST_SKIP() << "the model (tools/fetch_models.sh gemma3) or an OpenCL device is missing";
  }
  static nlohmann::json oracle(const std::string& name) { return real_oracle("gemma3-270m", name); }
};

TEST_F(Gemma3, LogitsOfSinglePositions) { expect_prompts(*session(), oracle("logits"), single); }

TEST_F(Gemma3, LikelihoodOfAText) { expect_likelihood(*session(), oracle("perplexity"), single); }

TEST_F(Gemma3, GreedyTokens) { expect_greedy(*session(), oracle("generate")); }

TEST_F(Gemma3, DefaultPrecision) {
  Session& automatic = *session(graph::Precision::Auto);
  expect_likelihood(automatic, oracle("perplexity"), half);
  if (test::device("opencl:0")->facts().is_cpu) return;  // where the cache alone is of halves
  expect_prompts(automatic, oracle("logits"), half);
  expect_greedy(automatic, oracle("generate"), half.logit);
}

TEST_F(Gemma3, CacheOfEightBits) {
  expect_perplexity(*session(graph::Precision::Auto, DataType::Q8_0), oracle("perplexity"), 0.01);
}

}  // namespace
}  // namespace driftwood::llm

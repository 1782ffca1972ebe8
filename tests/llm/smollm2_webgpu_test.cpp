// SmolLM2 through WebGPU, against the same reference data as through OpenCL.
#include <algorithm>
#include <cmath>

#include "llm/real_model.h"

namespace driftwood::llm {
namespace {

TEST(SmolLm2OnWebGpu, LogitsAndGreedyTokens) {
  const std::filesystem::path path =
      std::filesystem::path(DRIFTWOOD_SOURCE_DIR) / "models" / "SmolLM2-135M-Instruct.Q4_1.gguf";
  gpu::Device* const device = test::device("webgpu:0");
  if (device == nullptr || !std::filesystem::exists(path)) GTEST_SKIP() << "no device webgpu:0, or no " << path;
  const models::Checkpoint checkpoint = models::Checkpoint::open(path);
  SessionSettings settings{.context = 256, .prefill_tokens = 64};
  settings.options.precision = graph::Precision::F32;
  Session session(*device, checkpoint, settings);
  // Software computes a few tokens a second: the shortest prompt, and the beginning of its answer.
  const nlohmann::json prompts = real_oracle("smollm2-135m", "generate");
  const nlohmann::json& prompt =
      *std::ranges::min_element(prompts, {}, [](const nlohmann::json& each) { return each["prompt_ids"].size(); });
  const auto greedy = prompt["greedy_ids"].get<std::vector<std::int32_t>>();
  std::vector<float> logits = session.feed(prompt["prompt_ids"].get<std::vector<std::int32_t>>());
  ASSERT_TRUE(std::ranges::all_of(logits, [](float logit) { return std::isfinite(logit); }));
  ASSERT_NE(*std::ranges::min_element(logits), *std::ranges::max_element(logits));
  for (std::size_t i = 0; i < std::min<std::size_t>(greedy.size(), 6); ++i) {
    EXPECT_EQ(std::ranges::max_element(logits) - logits.begin(), greedy[i]) << "token " << i;
    logits = session.feed(std::span(&greedy[i], 1));
  }
}

}  // namespace
}  // namespace driftwood::llm

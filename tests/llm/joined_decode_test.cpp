// A decoded token as one launch gives the numbers of a launch a kernel, whatever the grids that change with positions.
#include <gtest/gtest.h>

#include <vector>

#include "llm/generate.h"
#include "support/devices.h"

namespace driftwood::llm {
namespace {

TEST(JoinedDecode, GivesTheNumbersOfLaunchesOfTheirOwn) {
  gpu::Device* const device = test::device("opencl:0");
  if (device == nullptr) GTEST_SKIP() << "This machine has no OpenCL device.";
  const auto checkpoint = models::Checkpoint::open(DRIFTWOOD_TEST_DATA "/llm/gemma3-local");
  const auto session_with = [&](graph::DecodeLaunches launches) {
    return Session(*device, checkpoint, {.context = 40, .options = {.decode_launches = launches}});
  };
  Session one = session_with(graph::DecodeLaunches::One);
  Session many = session_with(graph::DecodeLaunches::Many);
  EXPECT_TRUE(one.decode_program().is_joined());
  EXPECT_FALSE(many.decode_program().is_joined());
  const std::vector<std::int32_t> prompt = {5, 6, 7, 2, 8};
  EXPECT_EQ(one.feed(prompt), many.feed(prompt));
  for (std::int32_t i = 0; i < 30; ++i) {
    const std::int32_t token = (i * 11 + 3) % 64;
    EXPECT_EQ(one.feed(std::span(&token, 1)), many.feed(std::span(&token, 1))) << "token " << i;
  }
  one.reset();
  many.reset();
  const GenerateSettings settings{.max_tokens = 12, .sampler = {.temperature = 0}, .sampling = SamplingPlace::Device};
  EXPECT_EQ(generate(one, nullptr, prompt, settings).tokens, generate(many, nullptr, prompt, settings).tokens);
}

}  // namespace
}  // namespace driftwood::llm

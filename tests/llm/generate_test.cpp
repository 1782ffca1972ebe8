// Generation and its limits on a tiny model.
#include "llm/generate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "support/devices.h"

namespace driftwood::llm {
namespace {

using testing::HasSubstr;

const models::Checkpoint& tiny() {
  static const auto checkpoint = models::Checkpoint::open(std::string(DRIFTWOOD_TEST_DATA) + "/llm/llama-gqa-tied");
  return checkpoint;
}

Session& session() {
  static Session session(*test::device("reference"), tiny(), {.context = 12});
  session.reset();
  return session;
}

const std::vector<std::int32_t> prompt = {5, 6, 7};

TEST(Generate, EndsWhenCancelledAndKeepsWhatWasGenerated) {
  const Generated whole = generate(session(), nullptr, prompt, {.max_tokens = 5, .sampler = {.temperature = 0}});
  int asked = 0;
  const Generated generated =
      generate(session(), nullptr, prompt,
               {.max_tokens = 5, .sampler = {.temperature = 0}, .cancelled = [&] { return ++asked == 3; }});
  EXPECT_EQ(generated.finish, FinishReason::Cancelled);
  EXPECT_EQ(to_string(generated.finish), "cancelled");
  EXPECT_EQ(generated.tokens, std::vector(whole.tokens.begin(), whole.tokens.begin() + 3));
}

TEST(Generate, EndsWithLengthWhereTheContextIsFull) {
  const Generated generated = generate(session(), nullptr, prompt, {.max_tokens = 50, .sampler = {.temperature = 0}});
  EXPECT_EQ(generated.finish, FinishReason::Context);
  EXPECT_EQ(to_string(generated.finish), "length");
  EXPECT_EQ(generated.tokens.size(), 10u);  // nine are fed back; the tenth needs no room
}

TEST(SessionSettings, TheContextIsTheModelsOwnWhereItIsZero) {
  EXPECT_EQ(resolved_context(0, tiny()), tiny().config().trained_context);
  EXPECT_EQ(resolved_context({}, tiny()), std::min(tiny().config().trained_context, default_context));
  EXPECT_EQ(resolved_context(7, tiny()), 7u);
  try {
    resolved_context((1u << 24) + 1, tiny());
    FAIL() << "a context over the limit is refused";
  } catch (const InvalidInput& error) {
    EXPECT_THAT(error.what(), HasSubstr("The context of 16777217 tokens is over the limit of 16777216."));
  }
}

}  // namespace
}  // namespace driftwood::llm

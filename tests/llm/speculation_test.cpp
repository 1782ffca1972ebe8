// Drafts change nothing but the speed.
#include "llm/speculation.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "llm/generate.h"
#include "support/devices.h"

namespace driftwood::llm {
namespace {

using Tokens = std::vector<std::int32_t>;

Session& tiny() {
  static const auto checkpoint = models::Checkpoint::open(std::string(DRIFTWOOD_TEST_DATA) + "/llm/llama-gqa-tied");
  static Session session(*test::device("reference"), checkpoint, {.context = 40});
  session.reset();
  return session;
}

const Tokens prompt = {9, 8, 7, 6, 9, 8, 7, 6, 9, 8, 7};

void expect_equal_text(GenerateSettings settings) {
  Session& session = tiny();
  const Generated plain = generate(session, nullptr, prompt, settings);
  const Tokens held(session.tokens().begin(), session.tokens().end());
  settings.draft.tokens = 4;
  const Generated drafted = generate(tiny(), nullptr, prompt, settings);
  EXPECT_EQ(drafted.tokens, plain.tokens);
  EXPECT_EQ(drafted.finish, plain.finish);
  EXPECT_TRUE(std::ranges::equal(session.tokens(), held)) << "no draft stays in the session";
  EXPECT_EQ(plain.drafted, 0u);
  EXPECT_GT(drafted.drafted, 0u);
  EXPECT_LE(drafted.accepted, drafted.drafted);
}

// A random model seldom repeats itself. Drafts of its own text, right for `right` tokens and then wrong, show what is
// accepted; with rings of eight places beside the window too.
void expect_accepted(Session& session, std::size_t right) {
  constexpr std::size_t count = 13;
  session.reset();
  const Tokens text = generate(session, nullptr, prompt, {.max_tokens = count, .sampler = {.temperature = 0}}).tokens;
  session.reset();
  std::vector<float> logits = session.feed(prompt);
  std::uint64_t drafted = 0, accepted = 0;
  {
    SpeculativeDecoder decoding(session, 4, [&](std::span<const std::int32_t> so_far, std::size_t most) {
      Tokens draft;
      for (std::size_t at = so_far.size() - prompt.size(); draft.size() < most && at < text.size(); ++at)
        draft.push_back(draft.size() < right ? text[at] : (text[at] + 1) % 320);
      return draft;
    });
    for (std::size_t i = 0; i + 1 < count; ++i) {
      const auto next = decoding.after(text[i], count - 1 - i);
      ASSERT_EQ(std::ranges::max_element(next) - next.begin(), text[i + 1]) << i;
      EXPECT_EQ(decoding.position(), prompt.size() + i + 1);
    }
    drafted = decoding.drafted();
    accepted = decoding.accepted();
  }
  EXPECT_EQ(session.position(), prompt.size() + count - 1);
  if (right == 0) {
    EXPECT_EQ(accepted, 0u);
  }
  if (right == 2) {
    EXPECT_EQ(accepted, 8u) << "two of each four, and the token after them: four runs for twelve tokens";
  }
  if (right == 4) {
    EXPECT_EQ(accepted, drafted);
  }
}

TEST(Speculation, ADraftServesAsFarAsItIsRight) {
  for (const std::size_t right : {0, 2, 4}) {
    SCOPED_TRACE(right);
    expect_accepted(tiny(), right);
  }
}

TEST(Speculation, ADraftThatIsWrongLeavesRingsAsTheyWere) {
  const auto windowed = models::Checkpoint::open(std::string(DRIFTWOOD_TEST_DATA) + "/llm/mistral-swa");
  Session session(*test::device("reference"), windowed, {.context = 40, .prefill_tokens = 8, .ring_places = 20});
  for (const std::size_t right : {0, 2}) {
    SCOPED_TRACE(right);
    expect_accepted(session, right);
  }
}

TEST(Speculation, GreedyTextIsTheSame) { expect_equal_text({.max_tokens = 20, .sampler = {.temperature = 0}}); }

TEST(Speculation, TextOfASeedIsTheSame) {
  GenerateSettings settings{.max_tokens = 16, .sampler = {.temperature = 0.5F, .top_k = 3, .seed = 5}};
  Session& session = tiny();
  const Tokens plain = generate(session, nullptr, prompt, settings).tokens;
  settings.draft.tokens = 4;
  EXPECT_EQ(generate(tiny(), nullptr, prompt, settings).tokens, plain);
}

TEST(Speculation, TheLimitOfTokensMayFallWithinADraft) {
  for (std::uint32_t most = 1; most < 9; ++most) {
    SCOPED_TRACE(most);
    GenerateSettings settings{.max_tokens = most, .sampler = {.temperature = 0}};
    const Tokens plain = generate(tiny(), nullptr, prompt, settings).tokens;
    settings.draft.tokens = 4;
    EXPECT_EQ(generate(tiny(), nullptr, prompt, settings).tokens, plain);
    EXPECT_EQ(tiny().position(), 0u);
  }
}

TEST(Speculation, TheContextMayEndWithinADraft) {
  expect_equal_text({.max_tokens = 99, .sampler = {.temperature = 0}});
}

TEST(Speculation, CancellingWithinADraftLeavesNothingOfIt) {
  int asked = 0;
  GenerateSettings settings{.max_tokens = 20, .sampler = {.temperature = 0}};
  settings.cancelled = [&] { return ++asked % 12 == 0; };
  expect_equal_text(settings);
}

TEST(Speculation, ADraftOverTheLimitIsRefused) {
  EXPECT_THROW(generate(tiny(), nullptr, prompt, {.max_tokens = 2, .draft = {.tokens = 16}}), InvalidInput);
}

}  // namespace
}  // namespace driftwood::llm

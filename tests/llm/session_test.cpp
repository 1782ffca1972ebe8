// A session's bookkeeping: chunks of a prompt, the limits of the context, rewinding and reuse.
#include "llm/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "llm/generate.h"
#include "support/devices.h"

namespace driftwood::llm {
namespace {

using Tokens = std::vector<std::int32_t>;

const models::Checkpoint& tiny() {
  static const auto checkpoint = models::Checkpoint::open(std::string(DRIFTWOOD_TEST_DATA) + "/llm/llama-gqa-tied");
  return checkpoint;
}

constexpr std::uint32_t context = 20, chunk = 8;

/// Single precision, in which runs of any length compute the same but for rounding.
SessionSettings single(std::uint32_t tokens, std::uint32_t prefill_tokens = 0) {
  SessionSettings settings{.context = tokens, .prefill_tokens = prefill_tokens};
  settings.options.precision = graph::Precision::F32;
  return settings;
}

Session& whole() {  // any prompt in one run
  static Session session(*test::device("reference"), tiny(), single(context));
  session.reset();
  return session;
}

Session& chunked() {
  static Session session(*test::device("reference"), tiny(), single(context, chunk));
  session.reset();
  return session;
}

Tokens tokens(std::size_t count, std::int32_t seed = 1) {
  Tokens ids(count);
  for (std::size_t i = 0; i < count; ++i) ids[i] = static_cast<std::int32_t>((seed * 131 + 37 * i * i + i) % 320);
  return ids;
}

void expect_near(std::span<const float> got, std::span<const float> expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], expected[i], 2e-4F) << i;
}

TEST(Session, ChunksOfAPromptGiveWhatOneRunGives) {
  for (const std::size_t count : {chunk - 1, chunk, chunk + 1, 2 * chunk, 2 * chunk + 1, context}) {
    SCOPED_TRACE(count);
    expect_near(chunked().feed(tokens(count)), whole().feed(tokens(count)));
  }
}

TEST(Session, GreedyTokensDoNotDependOnChunks) {
  for (const std::size_t count : {chunk, chunk + 1}) {
    const GenerateSettings settings{.max_tokens = 4, .sampler = {.temperature = 0}};
    EXPECT_EQ(generate(chunked(), nullptr, tokens(count), settings).tokens,
              generate(whole(), nullptr, tokens(count), settings).tokens);
  }
}

TEST(Session, TheContextCanBeFilledAndNotExceeded) {
  Session& session = chunked();
  EXPECT_THROW(session.feed(tokens(context + 1)), InvalidInput);
  EXPECT_EQ(session.position(), 0u);
  session.feed(tokens(context));
  EXPECT_EQ(session.position(), context);
  try {
    session.feed(tokens(1));
    FAIL() << "a token more than the context is refused";
  } catch (const InvalidInput& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("The 1 tokens do not fit the context of 20 tokens, of which 20 are"));
  }
  EXPECT_EQ(session.position(), context);
}

TEST(Session, FeedingAfterARewindIsFeedingAfterWhatIsLeft) {
  Session& session = chunked();
  session.feed(tokens(14, 2));
  session.rewind(5);
  EXPECT_THAT(session.tokens(), testing::ElementsAreArray(std::span<const std::int32_t>(tokens(14, 2)).first(5)));
  Tokens both = tokens(14, 2), more = tokens(6, 3);
  both.resize(5);
  const auto logits = session.feed(more);
  both.insert(both.end(), more.begin(), more.end());
  expect_near(logits, whole().feed(both));
  EXPECT_THROW(session.rewind(12), InvalidInput);
}

TEST(Session, ReuseKeepsTheCommonBeginning) {
  Session& session = chunked();
  session.feed(Tokens{1, 2, 3, 4, 5});
  EXPECT_EQ(session.reuse(Tokens{1, 2, 3, 9, 9}), 3u);
  EXPECT_EQ(session.position(), 3u);
  EXPECT_EQ(session.reuse(Tokens{1, 2, 3}), 2u) << "the last is fed again for its logits";
  EXPECT_EQ(session.reuse(Tokens{7}), 0u);
  session.feed(Tokens{7});
  EXPECT_EQ(session.reuse(Tokens{}), 0u);
  EXPECT_EQ(session.position(), 0u);
}

TEST(Session, LogitsOfABatchAreThoseOfItsTokens) {
  Session& session = chunked();
  session.feed(tokens(5));
  std::vector<float> batch;
  session.feed_batch(Tokens{4, 5, 6}, 4, batch);
  ASSERT_EQ(batch.size(), 3u * session.vocabulary());
  EXPECT_EQ(session.position(), 8u);
  session.rewind(5);
  for (const std::int32_t token : {4, 5, 6}) {
    const auto one = session.feed(std::span(&token, 1));
    const auto row = std::span(batch).subspan(static_cast<std::size_t>(token - 4) * one.size(), one.size());
    for (std::size_t i = 0; i < one.size(); ++i) ASSERT_NEAR(row[i], one[i], 2e-4F);
  }
  EXPECT_THROW(session.feed_batch(Tokens{4, 5, 6}, 2, batch), InvalidInput);
}

TEST(Session, ALongPromptTellsHowFarItIsAndStopsWhenAsked) {
  std::vector<std::size_t> told;
  SessionSettings settings = single(context, chunk);
  settings.prompt_progress = [&](std::size_t done, std::size_t all) { told.insert(told.end(), {done, all}); };
  Session session(*test::device("reference"), tiny(), settings);
  EXPECT_TRUE(session.submit(tokens(18)));
  EXPECT_EQ(told, (std::vector<std::size_t>{8, 18, 16, 18, 18, 18}));
  session.reset();
  EXPECT_FALSE(session.submit(tokens(18), [] { return false; }));
  EXPECT_EQ(session.position(), 8u) << "what was fed stays";
  const Generated generated = generate(session, nullptr, tokens(11, 4), {.cancelled = [] { return true; }});
  EXPECT_EQ(generated.finish, FinishReason::Cancelled);
  EXPECT_TRUE(generated.tokens.empty());
}

// A window of 16 in a context of 60, with rings of 24 places: a rewind of up to nine tokens finds its window there.
TEST(Session, RewindingBeyondARingFeedsTheTokensAgain) {
  static const auto windowed = models::Checkpoint::open(std::string(DRIFTWOOD_TEST_DATA) + "/llm/gemma3-local");
  ASSERT_EQ(windowed.config().window, 16u);
  SessionSettings ring_settings = single(60, 16), full_settings = single(60);
  ring_settings.ring_places = 24;
  full_settings.ring_places = 0;
  Session rings(*test::device("reference"), windowed, ring_settings);
  EXPECT_EQ(rings.longest_run(), 9u);
  EXPECT_EQ(rings.prefill_program().max_tokens(), 9u);
  Session full(*test::device("reference"), windowed, full_settings);
  EXPECT_LT(rings.memory().state, full.memory().state);
  const Tokens long_text = tokens(50, 5);
  expect_near(rings.feed(long_text), full.feed(long_text));
  for (const std::uint32_t kept : {45U, 41U, 40U, 0U}) {  // 40 looks back to 25, and 26 is the first that is held
    SCOPED_TRACE(kept);
    const Tokens more = tokens(3, static_cast<std::int32_t>(kept));
    rings.rewind(kept);
    full.rewind(kept);
    EXPECT_EQ(rings.position(), kept);
    expect_near(rings.feed(more), full.feed(more));
    if (kept != 40) continue;
    std::vector<float> last;
    rings.rewind(20);
    full.rewind(20);
    rings.feed_all(Tokens{3},
                   [&](std::size_t, std::span<const float> logits) { last.assign(logits.begin(), logits.end()); });
    expect_near(last, full.feed(Tokens{3}));
  }
  EXPECT_THROW(Session(*test::device("reference"), windowed, {.context = 60, .ring_places = 15}), InvalidInput);
}

TEST(Session, ACacheOfAnotherTypeIsRefused) {
  try {
    Session session(*test::device("reference"), tiny(), {.context = 8, .cache_type = DataType::Q4_K});
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("q4_k is asked for; there are f32, f16 and q8_0"));
  }
}

}  // namespace
}  // namespace driftwood::llm

// Tokens chosen on the device: those that the host would choose, and a session that holds only what was wanted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "base/error.h"
#include "formats/safetensors.h"
#include "formats/temporary_folder.h"
#include "gpu/amended_device.h"
#include "llm/generate.h"
#include "llm/loud_model.h"
#include "support/devices.h"
#include "support/error_of.h"
#include "text/byte_alphabet.h"

namespace driftwood::llm {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using Tokens = std::vector<std::int32_t>;

models::Checkpoint model(const std::string& name) {
  return models::Checkpoint::open(std::string(DRIFTWOOD_TEST_DATA) + "/llm/" + name);
}

const models::Checkpoint& tiny() {
  static const auto checkpoint = model("llama-gqa-tied");
  return checkpoint;
}

const models::Checkpoint& windowed() {
  static const auto checkpoint = model("gemma3-local");
  return checkpoint;
}

constexpr SamplerSettings greedy{.temperature = 0};
const Tokens prompt = {5, 6, 7, 250, 8};

/// A session a device, made once: the model's kernels take the longest.
Session& session_on(const std::string& device) {
  static auto& made = *new std::map<std::string, std::unique_ptr<Session>>;
  auto& session = made[device];
  if (!session)
    session = std::make_unique<Session>(
        *test::device(device), tiny(), SessionSettings{.context = 40, .options = {.precision = graph::Precision::F32}});
  session->reset();
  return *session;
}

Generated generated(Session& session, SamplingPlace place, const SamplerSettings& sampler, std::uint32_t count) {
  const Generated result =
      generate(session, nullptr, prompt, {.max_tokens = count, .sampler = sampler, .sampling = place});
  EXPECT_EQ(result.sampled_on_device, place == SamplingPlace::Device);
  return result;
}

class DeviceSampling : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (test::device(GetParam()) == nullptr) GTEST_SKIP() << "This machine has no device '" << GetParam() << "'.";
  }
  Session& session() { return session_on(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(All, DeviceSampling, ::testing::Values("reference", "opencl:0"), [](const auto& info) {
  std::string name = info.param;
  std::erase_if(name, [](char c) { return std::isalnum(c) == 0; });
  return name;
});

TEST_P(DeviceSampling, TokensAreThoseOfTheHost) {
  const std::vector<SamplerSettings> settings = {
      greedy,
      {.temperature = 0, .repeat_penalty = 1.3F, .repeat_window = 7},
      {.seed = 1},
      {.temperature = 1.5F, .top_k = 5, .top_p = 1, .min_p = 0, .seed = 2},
      {.temperature = 1.5F, .top_k = 40, .top_p = 0.9F, .min_p = 0.02F, .repeat_penalty = 1.2F, .seed = 3},
  };
  for (const SamplerSettings& sampler : settings) {
    SCOPED_TRACE(sampler.seed);
    const Generated host = generated(session(), SamplingPlace::Host, sampler, 14);
    const Generated device = generated(session(), SamplingPlace::Device, sampler, 14);
    EXPECT_EQ(device.tokens, host.tokens);
    EXPECT_EQ(device.finish, FinishReason::Length);
    EXPECT_GT(device.host_ms, 0);
    EXPECT_LE(device.host_ms, device.predicted_ms);
  }
}

TEST_P(DeviceSampling, TheSessionHoldsWhatWasWanted) {
  const Tokens whole = generated(session(), SamplingPlace::Host, greedy, 20).tokens;
  Session& s = session();
  int asked = 0;
  GenerateSettings settings{.max_tokens = 20, .sampler = greedy, .sampling = SamplingPlace::Device};
  settings.cancelled = [&] { return ++asked == 5; };
  const Generated first = generate(s, nullptr, prompt, settings);
  EXPECT_EQ(first.finish, FinishReason::Cancelled);
  EXPECT_THAT(first.tokens, ElementsAreArray(std::span(whole).first(5)));
  EXPECT_EQ(s.queued(), 0u);
  Tokens expected = prompt;
  expected.insert(expected.end(), whole.begin(), whole.begin() + 4);
  EXPECT_THAT(s.tokens(), ElementsAreArray(expected)) << "the fifth was chosen, and not fed";
  settings.cancelled = {};
  settings.max_tokens = 15;
  const Generated rest = generate(s, nullptr, std::span(whole).subspan(4, 1), settings);
  EXPECT_THAT(rest.tokens, ElementsAreArray(std::span(whole).subspan(5)));
}

TEST_P(DeviceSampling, TheContextMayBeFilled) {
  const Generated host = generated(session(), SamplingPlace::Host, greedy, 100);
  const Generated device = generated(session(), SamplingPlace::Device, greedy, 100);
  EXPECT_EQ(device.finish, FinishReason::Context);
  EXPECT_EQ(device.tokens.size(), 36u);  // 35 are fed back; the last needs no room
  EXPECT_EQ(device.tokens, host.tokens);
}

TEST_P(DeviceSampling, AnotherTokenThanTheChosenOneStartsAnew) {
  Session& s = session();
  s.feed(prompt);
  Sampler sampler(greedy);
  Tokens host, device;
  for (const SamplingPlace place : {SamplingPlace::Host, SamplingPlace::Device}) {
    s.rewind(static_cast<std::uint32_t>(prompt.size()));
    const auto decoding = make_decoding(s, sampler, {}, place);
    Tokens& chosen = place == SamplingPlace::Host ? host : device;
    std::int32_t token = 3;
    for (int i = 0; i < 8; ++i) {
      chosen.push_back(decoding->after(token, 8));
      token = i == 3 ? 17 : chosen.back();
    }
    EXPECT_EQ(decoding->position(), prompt.size() + 8);
  }
  EXPECT_EQ(device, host);
}

/// A token for each of the first 320 bytes and pairs, the one given the end of a text.
std::unique_ptr<Tokenizer> tokenizer_with_end(std::int32_t end) {
  TokenizerData data;
  data.pre_tokenizer = "gpt-2";
  for (int i = 0; i < 320; ++i) {
    std::string text(1, static_cast<char>(i % 256));
    if (i >= 256) text += 'x';
    data.tokens.push_back(byte_alphabet::encode(text));
  }
  data.eos = end;
  return Tokenizer::create(std::move(data));
}

TEST_P(DeviceSampling, TheEndOfATextDropsTheStepsBehindIt) {
  const Tokens whole = generated(session(), SamplingPlace::Host, greedy, 12).tokens;
  std::size_t at = 4;  // a token that was not generated before
  while (std::find(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(at), whole[at]) !=
         whole.begin() + static_cast<std::ptrdiff_t>(at))
    ++at;
  ASSERT_LT(at, whole.size());
  const auto tokenizer = tokenizer_with_end(whole[at]);
  Session& s = session();
  GenerateSettings settings{.max_tokens = 12, .sampler = greedy, .sampling = SamplingPlace::Device};
  const Generated ended = generate(s, tokenizer.get(), prompt, settings);
  EXPECT_EQ(ended.finish, FinishReason::EndOfText);
  EXPECT_THAT(ended.tokens, ElementsAreArray(std::span(whole).first(at)));
  EXPECT_EQ(s.position(), prompt.size() + at);
  EXPECT_EQ(s.queued(), 0u);
  const Generated goes_on = generate(s, nullptr, std::span(whole).subspan(at, 1), settings);
  EXPECT_THAT(std::span(goes_on.tokens).first(whole.size() - at - 1),
              ElementsAreArray(std::span(whole).subspan(at + 1)));
}

// A window of 16 in a context of 60: rings of 24 places bear a rewind of nine tokens, those of 16 of none.
TEST(DeviceSamplingWindows, RingsHoldWhatAStopNeeds) {
  SessionSettings settings{.context = 60, .prefill_tokens = 16, .options = {.precision = graph::Precision::F32}};
  settings.ring_places = 0;
  Session full(*test::device("reference"), windowed(), settings);
  const SamplerSettings lively{.temperature = 3, .top_k = 20, .top_p = 1, .min_p = 0, .seed = 4};
  const Tokens first = generated(full, SamplingPlace::Host, lively, 30).tokens;
  const GenerateSettings more{.max_tokens = 10, .sampler = lively, .sampling = SamplingPlace::Host};
  const Tokens rest = generate(full, nullptr, std::span(first).last(1), more).tokens;
  for (const std::uint32_t places : {24U, 16U}) {
    SCOPED_TRACE(places);
    settings.ring_places = places;
    Session rings(*test::device("reference"), windowed(), settings);
    std::size_t count = 0;
    GenerateSettings on_device{.max_tokens = 40, .sampler = lively, .sampling = SamplingPlace::Device};
    on_device.cancelled = [&] { return count == 30; };
    const auto count_them = [&](std::int32_t) { ++count; };
    EXPECT_EQ(generate(rings, nullptr, prompt, on_device, {}, count_them).tokens, first);
    EXPECT_EQ(rings.position(), prompt.size() + 29);
    on_device.max_tokens = 10;
    on_device.cancelled = {};
    EXPECT_EQ(generate(rings, nullptr, std::span(first).last(1), on_device).tokens, rest);
  }
}

/// Notes what is asked of the device: s for a submission, r for a read that comes later, w for the wait for it.
class Noting final : public gpu::AmendedDevice {
 public:
  explicit Noting(gpu::Device& device) : AmendedDevice(device, device.facts()) {}
  void submit(gpu::Recording& recording) override {
    notes += 's';
    AmendedDevice::submit(recording);
  }
  std::unique_ptr<gpu::PendingRead> read_later(const gpu::Memory& memory, std::uint64_t offset,
                                               std::size_t size) override {
    struct Noted final : gpu::PendingRead {
      Noted(std::unique_ptr<gpu::PendingRead> r, std::string& n) : read(std::move(r)), all(n) {}
      std::span<const std::byte> wait() override {
        all += 'w';
        return read->wait();
      }
      std::unique_ptr<gpu::PendingRead> read;
      std::string& all;
    };
    notes += 'r';
    return std::make_unique<Noted>(AmendedDevice::read_later(memory, offset, size), notes);
  }
  std::string notes;
};

TEST(DeviceSamplingQueue, StepsAreQueuedBeforeATokenIsWaitedFor) {
  Noting device(*test::device("reference"));
  Session session(device, tiny(), {.context = 40, .options = {.precision = graph::Precision::F32}});
  Sampler sampler(greedy);
  const auto decoding = make_decoding(session, sampler);
  ASSERT_TRUE(decoding->is_on_device());
  device.notes.clear();
  std::int32_t token = 5;
  for (std::size_t i = 0; i < 5; ++i) token = decoding->after(token, 5 - i);
  // A step is the decode program and the choice. Two are ahead, and none is queued that nobody would ask for.
  EXPECT_EQ(device.notes, "ssrssrssrwssrwssrwww");
}

TEST(DeviceSamplingPlaces, WhatTheDeviceCannotDoIsDoneOnTheHost) {
  Session& s = session_on("reference");
  const auto is_on_device = [&](const SamplerSettings& settings, const DraftSettings& drafts = {}) {
    Sampler sampler(settings);
    return make_decoding(s, sampler, drafts)->is_on_device();
  };
  EXPECT_TRUE(is_on_device(greedy));
  EXPECT_TRUE(is_on_device({.top_k = 64}));
  EXPECT_FALSE(is_on_device({.top_k = 65}));
  EXPECT_FALSE(is_on_device({.top_k = 0}));
  EXPECT_FALSE(is_on_device({.repeat_penalty = 1.1F, .repeat_window = 1025}));
  EXPECT_FALSE(is_on_device(greedy, {.tokens = 4}));
  Sampler all({.top_k = 0});
  EXPECT_THAT(test::error_of([&] { make_decoding(s, all, {}, SamplingPlace::Device); }),
              HasSubstr("from the 64 likeliest tokens at most"));
  EXPECT_THROW(s.confirm(1), InternalError);
  gpu::DeviceFacts facts = test::device("reference")->facts();
  facts.distrusted_kernels = {"sample-token"};
  gpu::AmendedDevice wrong(*test::device("reference"), facts);
  Session session(wrong, tiny(), {.context = 8});
  Sampler sampler(greedy);
  EXPECT_FALSE(make_decoding(session, sampler)->is_on_device());
}

TEST(DeviceSamplingNonFinite, IsTheErrorThatNamesPositionAndOperation) {
  const driftwood::testing::TemporaryFolder folder;
  const auto checkpoint = loud_model(folder);
  SessionSettings settings{.context = 12};
  settings.options.precision = graph::Precision::F16;
  Session session(*test::device("reference"), checkpoint, settings);
  Sampler sampler(greedy);
  const auto decoding = make_decoding(session, sampler, {}, SamplingPlace::Device);
  const std::string message = test::error_of([&] { decoding->after(5, 10); });
  EXPECT_THAT(message, HasSubstr("after the token at position 0 are not finite: at positions 0 to 0"));
  EXPECT_THAT(message, HasSubstr("blk.1"));
  EXPECT_THAT(message, HasSubstr("Try --precision f32."));
  EXPECT_EQ(session.position(), 0u) << "the session holds what it held before";
  EXPECT_EQ(session.queued(), 0u);
}

}  // namespace
}  // namespace driftwood::llm

// Techniques on and off: what is compared, and how.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "formats/temporary_folder.h"
#include "graph/lowering.h"
#include "measure/ablation/access.h"
#include "measure/ablation/first_token.h"
#include "measure/ablation/lab.h"
#include "support/devices.h"
#include "support/error_of.h"

namespace driftwood::measure {
namespace {

using ::testing::HasSubstr;

std::filesystem::path data() { return DRIFTWOOD_TEST_DATA; }

TEST(Comparison, RatiosAreOfNeighbours) {
  Comparison comparison{.technique = "t", .stage = "s", .on = "on", .off = "off"};
  EXPECT_EQ(comparison.ratio(), 0);
  comparison.on_ms = {1, 2, 4};
  comparison.off_ms = {2, 4, 12};
  EXPECT_EQ(comparison.ratios(), (std::vector<double>{2, 2, 3}));
  EXPECT_EQ(comparison.ratio(), 2);
  EXPECT_EQ(comparison.interval().low, 2);
  EXPECT_EQ(comparison.interval().high, 3);
}

TEST(Comparison, TurnsAlternate) {
  std::string order;
  Comparison comparison{.technique = "t", .stage = "s", .on = "on", .off = "off"};
  std::vector<std::size_t> progress;
  time_processes_in_turns([&] { order += 'A'; }, [&] { order += 'B'; },
                          {.repeats = 4, .progress = [&](std::size_t done, std::size_t) { progress.push_back(done); }},
                          comparison);
  EXPECT_EQ(order, "ABBAABBA");
  EXPECT_EQ(comparison.on_ms.size(), 4u);
  EXPECT_EQ(comparison.off_ms.size(), 4u);
  EXPECT_EQ(progress, (std::vector<std::size_t>{1, 2, 3, 4}));
}

// Both kernels of each pair give the same numbers for every storage kind, which the comparison checks itself.
void access_of(const std::string& id, std::size_t least) {
  gpu::Device* const device = test::device(id);
  if (device == nullptr) GTEST_SKIP() << "there is no device " << id;
  std::vector<std::string> skipped;
  const auto comparisons = compare_access(
      *device, {.turns = {.repeats = 1, .least_ms = 0}, .is_small = true, .skipped = [&](const std::string& why) {
                  skipped.push_back(why);
                }});
  EXPECT_GE(comparisons.size(), least);
  EXPECT_EQ(comparisons.size() % 3, 0u);
  for (const Comparison& comparison : comparisons) EXPECT_EQ(comparison.on_ms.size(), 1u) << comparison.stage;
  if (id == "reference") {
    ASSERT_EQ(skipped.size(), 1u);
    EXPECT_THAT(skipped[0], HasSubstr("which the device 'reference' does not take"));
  }
}

TEST(Access, ByHandInOpenClC) { access_of("opencl:0", 3); }
TEST(Access, ByHandInWgsl) { access_of("webgpu:0", 9); }
TEST(Access, OthersAreLeftOut) { access_of("reference", 0); }

std::vector<std::string> names_of(const std::vector<Technique>& found) {
  std::vector<std::string> names;
  for (const Technique& technique : found)
    names.push_back(technique.group + " " + technique.name + ": " + technique.off);
  return names;
}

TEST(Techniques, OfALanguageModel) {
  gpu::Device* const device = test::device("reference");
  const auto checkpoint = models::Checkpoint::open(data() / "llm" / "llama-gqa-tied");
  const auto subject = language_subject(*device, checkpoint, {}, 8, 2);
  ASSERT_EQ(subject->stages().size(), 2u);
  EXPECT_EQ(subject->stages()[1].runs.size(), 2u);
  EXPECT_EQ(subject->stages()[1].runs[1].position, 9u);
  const auto names = names_of(techniques(*subject, 1, device->facts(), {}, {}));
  for (const char* name : {"fusion fuse-rope-cache: off", "fusion all-fusions: off", "kv-cache kv-type: q8_0",
                           "kv-cache kv-layout: token-minor", "weight-rows weight-rows: one after another",
                           "memory-plan memory-plan: naive", "quantization integer-activations: float (chosen)",
                           "kernel-selection all-special-kernels: the most general"})
    EXPECT_THAT(names, ::testing::Contains(name));
  // What makes no difference to a program is not measured.
  EXPECT_THAT(names, ::testing::Not(::testing::Contains(HasSubstr("split-shortcut"))));
  const std::vector<std::string> only = {"kv-cache"};
  for (const std::string& name : names_of(techniques(*subject, 1, device->facts(), {}, only)))
    EXPECT_THAT(name, ::testing::StartsWith("kv-cache"));
  // One launch a token, of the stage whose tokens are decoded, where the device has it.
  const std::vector<std::string> launches = {"decode-launches"};
  EXPECT_THAT(techniques(*subject, 1, device->facts(), {}, launches), ::testing::IsEmpty());
  gpu::DeviceFacts facts = device->facts();
  facts.joins_dispatches = true;
  EXPECT_THAT(techniques(*subject, 0, facts, {}, launches), ::testing::IsEmpty());
  EXPECT_THAT(names_of(techniques(*subject, 1, facts, {}, launches)),
              ::testing::ElementsAre("decode-launches decode-launches: one a kernel"));
}

TEST(Techniques, MeasuredOnTheReference) {
  gpu::Device* const device = test::device("reference");
  const auto checkpoint = models::Checkpoint::open(data() / "llm" / "llama-gqa-tied");
  const auto subject = language_subject(*device, checkpoint, {}, 2, 1);
  Lab lab(*device, *subject);
  const std::vector<std::string> only = {"weight-rows", "kv-cache", "memory-plan"};
  for (const Technique& technique : techniques(*subject, 1, device->facts(), {}, only)) {
    const Comparison comparison = lab.compare(technique, 1, {.repeats = 1, .least_ms = 0});
    EXPECT_GT(comparison.ratio(), 0) << technique.name;
    if (technique.name == "memory-plan" && technique.off == "naive") {
      EXPECT_LT(*comparison.on_bytes, *comparison.off_bytes);
    }
  }
}

TEST(FirstToken, StartsProcessesWithAndWithoutCaches) {
  // Notes what an earlier process left in the folders of its caches.
  const testing::TemporaryFolder folder;
  const std::string notes = (folder.path() / "notes").string();
  const std::string script =
      "test -e $DRIFTWOOD_CACHE_DIR/there && printf own >> $0; test -e $POCL_CACHE_DIR/there && printf driver >> $0; "
      "echo >> $0; touch $DRIFTWOOD_CACHE_DIR/there $POCL_CACHE_DIR/there";
  const auto found =
      compare_first_token({.program = "/bin/sh", .arguments = {"-c", script, notes}, .turns = {.repeats = 2}});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].off_ms.size(), 2u);
  std::ifstream file(notes);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(),
            "\nowndriver\n" + std::string("owndriver\ndriver\ndriver\nowndriver\n") + "owndriver\n\n\nowndriver\n");
  EXPECT_THAT(test::error_of([] {
                compare_first_token({.program = "/bin/sh", .arguments = {"-c", "echo a reason >&2; exit 3"}});
              }),
              HasSubstr("ended with 3: 'a reason'"));
  EXPECT_THAT(test::error_of([] { compare_first_token({.program = "/no/program"}); }), HasSubstr("cannot be started"));
}

}  // namespace
}  // namespace driftwood::measure

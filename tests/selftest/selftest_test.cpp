// Seeded faults: each is found, named and worked around, and models come out right afterwards.
#include "selftest/selftest.h"

#include <gmock/gmock.h>

#include "gpu/amended_device.h"
#include "gpu/reference/reference_device.h"
#include "gpu/registry.h"
#include "llm/session.h"
#include "selftest/faulty_device.h"

namespace driftwood::selftest {
namespace {

using test::Faults;
using test::FaultyDevice;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::unique_ptr<gpu::Device> reference(bool is_cpu) { return gpu::make_reference_device({.is_cpu = is_cpu}); }

Opener faulty(bool is_cpu, const std::shared_ptr<Faults>& faults) {
  return [=] { return std::make_unique<FaultyDevice>(reference(is_cpu), faults); };
}

Report tested(std::unique_ptr<gpu::Device>& device, Scope scope = Scope::Language, const Opener& reopen = {}) {
  return driftwood::selftest::test(device, {.scope = scope, .reopen = reopen});
}

const Finding& finding_of(const Report& report, const std::string& kernel) {
  const auto found = std::ranges::find(report.findings, kernel, &Finding::kernel);
  if (found == report.findings.end()) throw std::runtime_error("nothing is found of " + kernel + ": " + report.lost);
  return *found;
}

std::vector<std::string> wrong_ones(const Report& report) {
  std::vector<std::string> names;
  for (const Finding& finding : report.findings) {
    if (finding.verdict != Verdict::Right) names.push_back(finding.kernel);
  }
  return names;
}

/// Logits of a tiny model after a prompt and a token more.
std::vector<float> logits(gpu::Device& device) {
  static const auto checkpoint = models::Checkpoint::open(std::string(DRIFTWOOD_TEST_DATA) + "/llm/llama-gqa-tied");
  llm::SessionSettings settings{.context = 12, .prefill_tokens = 8};
  settings.options.precision = graph::Precision::F32;
  llm::Session session(device, checkpoint, settings);
  session.feed(std::vector<std::int32_t>{5, 17, 300, 42, 9});
  const auto made = session.feed(std::vector<std::int32_t>{77});
  return {made.begin(), made.end()};
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double largest = a.size() == b.size() ? 0 : 1e9;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const double difference = std::abs(double{a[i]} - double{b[i]});
    largest = difference <= largest ? largest : difference;
  }
  return largest;
}

/// The model is wrong on the device as it is, and right with what the report says.
void expect_the_model_is_mended(std::unique_ptr<gpu::Device> device, const Report& report, bool is_cpu) {
  const auto right = reference(is_cpu);
  const std::vector<float> wanted = logits(*right);
  EXPECT_FALSE(largest_difference(logits(*device), wanted) < 1e-3);
  gpu::DeviceFacts facts = amended(device->facts(), report.amendments);
  gpu::AmendedDevice trusted(std::move(device), std::move(facts));
  EXPECT_LT(largest_difference(logits(trusted), wanted), 1e-3);
}

TEST(Selftest, AllKernelsOfTheReferenceAreRight) {
  for (const bool is_cpu : {false, true}) {
    auto device = reference(is_cpu);
    const Report report = tested(device, Scope::Everything);
    EXPECT_TRUE(report.is_right()) << testing::PrintToString(wrong_ones(report)) << report.lost;
    EXPECT_TRUE(report.amendments.empty());
    EXPECT_GT(report.findings.size(), 25U);
    EXPECT_EQ(finding_of(report, is_cpu ? "linear-wide" : "linear-matrix").verdict, Verdict::Right);
  }
}

TEST(Selftest, AllKernelsOfOpenClAreRight) {
  std::unique_ptr<gpu::Device> device;
  try {
    device = gpu::open_device("opencl:0");
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
  const Report report = tested(device, Scope::Everything);
  EXPECT_TRUE(report.is_right()) << testing::PrintToString(wrong_ones(report)) << report.lost;
}

TEST(Selftest, AKernelThatIsMiscompiledIsReplaced) {
  const auto faults = std::make_shared<Faults>(Faults{.miscompiled = {"linear_wide", "attention_wide"}});
  std::unique_ptr<gpu::Device> device = faulty(true, faults)();
  const Report report = tested(device);
  EXPECT_THAT(wrong_ones(report), ElementsAre("linear-wide", "attention-cache-wide"));
  EXPECT_EQ(finding_of(report, "linear-wide").verdict, Verdict::Wrong);
  EXPECT_THAT(finding_of(report, "linear-wide").fault, HasSubstr("is expected"));
  EXPECT_EQ(finding_of(report, "linear-wide").instead, "linear-rows");
  EXPECT_EQ(finding_of(report, "linear-rows").verdict, Verdict::Right);
  EXPECT_EQ(finding_of(report, "attention-cache-wide").instead, "attention-cache-row");
  EXPECT_TRUE(report.is_worked_around());
  EXPECT_THAT(report.amendments.kernels, ElementsAre("linear-wide", "attention-cache-wide"));
  EXPECT_THAT(report.amendments.features, IsEmpty());
  expect_the_model_is_mended(std::move(device), report, true);
}

TEST(Selftest, AKernelThatIsMiscompiledOnOpenClIsReplaced) {
  const auto faults = std::make_shared<Faults>(Faults{.miscompiled = {"linear_wide", "rope_qkv"}});
  std::unique_ptr<gpu::Device> device;
  try {
    device = std::make_unique<FaultyDevice>(gpu::open_device("opencl:0"), faults);
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
  const Report report = tested(device);
  EXPECT_THAT(wrong_ones(report), Contains("rope-qkv"));
  if (device->facts().is_cpu) {
    EXPECT_EQ(finding_of(report, "linear-wide").instead, "linear-rows");
  }
  EXPECT_TRUE(report.is_worked_around());
  expect_the_model_is_mended(std::move(device), report, true);
}

TEST(Selftest, AWrongHelperDistrustsTheKernelsThatUseIt) {
  const auto faults = std::make_shared<Faults>(Faults{.miscompiled = {"attention_combine"}});
  std::unique_ptr<gpu::Device> device = faulty(false, faults)();
  const Report report = tested(device);
  EXPECT_THAT(wrong_ones(report), ElementsAre("attention-split-halves", "attention-split"));
  EXPECT_THAT(finding_of(report, "attention-split").instead, HasSubstr("attention-cache-tile"));
  expect_the_model_is_mended(std::move(device), report, false);
}

TEST(Selftest, AFusedKernelIsReplacedByThoseThatItJoins) {
  const auto faults =
      std::make_shared<Faults>(Faults{.miscompiled = {"rope_qkv", "gated_linear_rows", "choose_token"}});
  std::unique_ptr<gpu::Device> device = faulty(false, faults)();
  const Report report = tested(device);
  EXPECT_THAT(wrong_ones(report), ElementsAre("gated-linear-halves", "gated-linear-rows", "rope-qkv", "sample-token"));
  EXPECT_EQ(finding_of(report, "rope-qkv").instead, "the graph without fuse-rope-cache");
  EXPECT_EQ(finding_of(report, "sample-token").instead, "sampling on the host");
  EXPECT_TRUE(report.is_worked_around());
  expect_the_model_is_mended(std::move(device), report, false);
}

TEST(Selftest, ACompilerThatRefusesAKernelIsToldWithItsMessage) {
  const auto faults = std::make_shared<Faults>(Faults{.refused = {"linear_wide"}});
  std::unique_ptr<gpu::Device> device = faulty(true, faults)();
  const Report report = tested(device);
  const Finding& finding = finding_of(report, "linear-wide");
  EXPECT_EQ(finding.verdict, Verdict::Failed);
  EXPECT_THAT(finding.fault, HasSubstr("The compiler refuses the kernel 'linear_wide'"));
  EXPECT_EQ(finding.instead, "linear-rows");
  gpu::AmendedDevice trusted(*device, amended(device->facts(), report.amendments));
  EXPECT_LT(largest_difference(logits(trusted), logits(*reference(true))), 1e-3);
}

TEST(Selftest, ALieAboutTheSubgroupSizeSwitchesSubgroupsOff) {
  const auto faults =
      std::make_shared<Faults>(Faults{.lies = [](gpu::DeviceFacts& facts) { facts.subgroup_size = 16; }});
  std::unique_ptr<gpu::Device> device = faulty(false, faults)();
  const Report report = tested(device, Scope::Everything);
  const Finding& finding = finding_of(report, "subgroups");
  EXPECT_EQ(finding.verdict, Verdict::Wrong);
  EXPECT_EQ(finding.fault, "the size of a subgroup is 32, but 16 is expected");
  EXPECT_TRUE(report.is_worked_around());
  EXPECT_THAT(report.amendments.features, ElementsAre("subgroups"));
  EXPECT_THAT(report.amendments.kernels, IsEmpty());
  const gpu::DeviceFacts facts = amended(device->facts(), report.amendments);
  EXPECT_FALSE(facts.has_subgroups);
  EXPECT_FALSE(facts.has_matrices);
  EXPECT_EQ(facts.subgroup_size, 1U);
}

// Layer norm has one kernel; what it computes is wrong as long as it is built on subgroups.
TEST(Selftest, WhereNoOtherKernelIsLeftFeaturesAreGivenUp) {
  struct Device : FaultyDevice {
    using FaultyDevice::FaultyDevice;
    std::shared_ptr<gpu::Kernel> compile(const shader::Module& module, const std::string& name) override {
      if (name == "layer_norm" && module.uses_subgroups) throw InternalError("Subgroups fail here.");
      return FaultyDevice::compile(module, name);
    }
  };
  std::unique_ptr<gpu::Device> device = std::make_unique<Device>(reference(false), std::make_shared<Faults>());
  const Report report = tested(device, Scope::Images);
  EXPECT_THAT(wrong_ones(report), ElementsAre("layer-norm"));
  EXPECT_EQ(finding_of(report, "layer-norm").instead, "layer-norm without subgroups");
  EXPECT_THAT(report.amendments.features, ElementsAre("subgroups"));
  EXPECT_THAT(report.amendments.kernels, IsEmpty());
  EXPECT_TRUE(report.is_worked_around());
}

TEST(Selftest, WhatCannotBeWorkedAroundIsSaid) {
  const auto faults = std::make_shared<Faults>(Faults{.miscompiled = {"layer_norm"}});
  std::unique_ptr<gpu::Device> device = faulty(true, faults)();
  const Report report = tested(device, Scope::Images);
  EXPECT_THAT(wrong_ones(report), ElementsAre("layer-norm"));
  EXPECT_EQ(finding_of(report, "layer-norm").instead, "");
  EXPECT_FALSE(report.is_worked_around());
  EXPECT_TRUE(report.lost.empty());
  EXPECT_THAT(report.amendments.kernels, ElementsAre("layer-norm")) << "no wrong numbers without a word";
}

TEST(Selftest, ADeviceThatIsLostOnceIsOpenedAnewAndIsRight) {
  const auto faults = std::make_shared<Faults>(Faults{.lost_at = {7}});
  std::unique_ptr<gpu::Device> device = faulty(true, faults)();
  const Report report = tested(device, Scope::Language, faulty(true, faults));
  EXPECT_TRUE(report.is_right()) << report.lost;
  EXPECT_TRUE(report.is_lasting());
  EXPECT_EQ(faults->opened, 2U);
  EXPECT_LT(largest_difference(logits(*device), logits(*reference(true))), 1e-3) << "the new device works";
}

TEST(Selftest, ALossEndsTheTestOfADeviceThatCannotBeOpenedAnew) {
  const auto faults = std::make_shared<Faults>(Faults{.lost_at = {3}});
  std::unique_ptr<gpu::Device> device = faulty(true, faults)();
  const Report report = tested(device);
  EXPECT_EQ(report.lost, "The device 'faulty:0' is lost.");
  EXPECT_FALSE(report.is_right());
  EXPECT_FALSE(report.is_lasting());
  EXPECT_FALSE(report.is_worked_around());
}

TEST(Selftest, AKernelThatLosesTheDeviceTwiceIsReplaced) {
  const auto faults = std::make_shared<Faults>(Faults{.losing = {"linear_wide"}});
  std::unique_ptr<gpu::Device> device = faulty(true, faults)();
  const Report report = tested(device, Scope::Language, faulty(true, faults));
  EXPECT_THAT(wrong_ones(report), ElementsAre("linear-wide"));
  EXPECT_EQ(finding_of(report, "linear-wide").verdict, Verdict::Lost);
  EXPECT_EQ(finding_of(report, "linear-wide").instead, "linear-rows");
  EXPECT_TRUE(report.is_worked_around());
  EXPECT_FALSE(report.is_lasting()) << "tested again at the next start";
}

}  // namespace
}  // namespace driftwood::selftest

// Samples of the conformance suite: small, and nothing that they are to cover is missing.
#include <gmock/gmock.h>

#include <set>

#include "conformance/check.h"
#include "gpu/reference/reference_device.h"
#include "kernels/source.h"

namespace driftwood::test {
namespace {

using namespace conformance;

std::set<std::string> kernels_of(const std::vector<Case>& cases, const gpu::DeviceFacts& facts) {
  std::set<std::string> kernels;
  for (const Case& each : cases) {
    for (const std::string& kernel : choice_of(each, facts).kernels) kernels.insert(kernel);
  }
  return kernels;
}

TEST(ConformanceSample, HasEveryKernelInFewCases) {
  for (const bool is_cpu : {false, true}) {
    const auto device = gpu::make_reference_device({.is_cpu = is_cpu});
    const std::vector<Case> all = all_cases();
    const std::vector<Case> few = covering_sample(all, device->facts(), Coverage::Kernels);
    EXPECT_EQ(kernels_of(few, device->facts()), kernels_of(all, device->facts()));
    EXPECT_LT(few.size(), 50);
    const std::vector<Case> cells = covering_sample(all, device->facts(), Coverage::Cells);
    EXPECT_LT(cells.size(), 600);
    const std::vector<Case> kinds = covering_sample(all, device->facts(), Coverage::Kinds);
    EXPECT_GT(kinds.size(), few.size());
    EXPECT_LT(kinds.size(), 250);
    EXPECT_GT(cells.size(), kinds.size());
    RecordProperty("kinds", static_cast<int>(kinds.size()));
    RecordProperty("cells", static_cast<int>(cells.size()));
  }
}

TEST(ConformanceSample, IsOfWhatTheDeviceHas) {
  const auto device = gpu::make_reference_device({.max_image_buffer = 0});
  const std::vector<Case> all = all_cases();
  for (const Case& each : covering_sample(all, device->facts(), Coverage::Cells)) {
    EXPECT_NE(each.setting.storage, StorageKind::ImageBuffer) << describe(each);
  }
  std::set<std::string> refusals;
  for (const Case& each : all) refusals.insert(choice_of(each, device->facts()).refusal);
  EXPECT_THAT(refusals, testing::ElementsAre("", "The device has no image buffers."));
}

TEST(ConformanceCheck, SaysRightAndUnsupported) {
  const auto device = gpu::make_reference_device({.has_images = false});
  const Subject subject{*device, std::make_shared<graph::KernelCache>(*device, kernels::source)};
  std::size_t right = 0, unsupported = 0;
  for (const Case& each : concat_cases()) {
    const Verdict verdict = check(subject, each, 7);
    const bool is_buffer = each.setting.storage == StorageKind::Buffer;
    EXPECT_EQ(verdict.judgement, is_buffer ? Judgement::Right : Judgement::Unsupported) << verdict.message;
    EXPECT_EQ(verdict.message, is_buffer ? "" : "The device has no images.");
    ++(is_buffer ? right : unsupported);
  }
  EXPECT_GT(right, 0);
  EXPECT_GT(unsupported, 0);
}

}  // namespace
}  // namespace driftwood::test

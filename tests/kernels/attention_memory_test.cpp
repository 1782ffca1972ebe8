// Attention without a cache on GPUs with less workgroup memory than the conformance suite's: its kernels are then cut
// into smaller tiles.
#include <gtest/gtest.h>

#include "base/error.h"
#include "conformance/case.h"
#include "gpu/reference/reference_device.h"
#include "kernels/source.h"

namespace driftwood::test {
namespace {

using namespace conformance;

class AttentionMemory : public testing::TestWithParam<std::uint32_t> {};

TEST_P(AttentionMemory, CutsTilesToWhatThereIs) {
  const auto device = gpu::make_reference_device({.local_memory = std::uint64_t{GetParam()} << 10});
  const Subject subject{*device, std::make_shared<graph::KernelCache>(*device, kernels::source)};
  unsigned seed = 7;
  for (const Case& each : multi_head_attention_cases()) {
    if (each.setting.storage != StorageKind::Buffer || each.setting.max_tokens > 1) continue;
    const Problem problem = problem_of(each, device->facts(), ++seed);
    std::string fault;
    try {
      fault = run(subject, problem, each.setting).fault;
    } catch (const Error& error) {
      fault = error.what();
    }
    EXPECT_EQ(fault, "") << describe(each);
  }
}

INSTANTIATE_TEST_SUITE_P(Kilobytes, AttentionMemory, testing::Values(48, 20), testing::PrintToStringParamName());

}  // namespace
}  // namespace driftwood::test

// Limits as they are measured on the devices there are.
#include "measure/ceilings.h"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "base/error.h"
#include "formats/temporary_folder.h"
#include "gpu/registry.h"
#include "measure/ceiling_kernels.h"

namespace driftwood::measure {
namespace {

TEST(MeasuredCeilings, AreMeasuredOnceADeviceAndDriver) {
  const testing::TemporaryFolder folder;
  std::unique_ptr<gpu::Device> device;
  try {
    device = gpu::open_device("opencl");
  } catch (const Error&) {
    GTEST_SKIP() << "there is no OpenCL device";
  }
  const gpu::ProgramCache cache(folder.path());
  const auto first = ceilings(*device, false, cache);
  ASSERT_TRUE(first);
  // Of any machine that runs tests; and no part of the measurement came out as nothing.
  EXPECT_GT(first->read_gb_per_s, 0.1);
  EXPECT_GT(first->copy_gb_per_s, 0.1);
  EXPECT_GT(first->float_gflops, 1);
  EXPECT_EQ(first->half_gflops > 0, device->facts().has_f16_arithmetic);
  EXPECT_EQ(first->integer_gflops > 0, device->facts().has_packed_dot || device->facts().has_wide_dot);
  EXPECT_GE(first->event_excess_ns, 0);
  EXPECT_LT(first->event_excess_ns, 1e6);
  EXPECT_EQ(ceilings(*device, false, cache), first) << "the second time they are read";
}

// Of no device that tests run on; what it is lowered to gives a number.
TEST(MeasuredCeilings, TheKernelOfAWorkgroupsMatricesRuns) {
  const auto device = gpu::open_device("reference");
  const CeilingWork work = make(CeilingKernel::Pipeline, *device);
  const std::uint32_t words[4] = {1, std::bit_cast<std::uint32_t>(0.5F), std::bit_cast<std::uint32_t>(1.0F), 0};
  const auto settings = device->allocate({.bytes = sizeof words}),
             results = device->allocate({.bytes = work.result_bytes});
  device->write(*settings, 0, std::as_bytes(std::span(words)));
  const auto recording = device->record({{work.kernel, {{settings}, {results}}, {1, 1, 1}, "pipeline"}});
  device->submit(*recording);
  std::vector<float> sums(work.result_bytes / sizeof(float));
  device->read(*results, 0, std::as_writable_bytes(std::span(sums)));
  // Thirty-two times a sum of 64 products of numbers from a half to one.
  for (const float sum : sums) {
    EXPECT_GT(sum, 32 * 64 * 0.25F);
    EXPECT_LT(sum, 32 * 64 * 1.1F);
  }
}

TEST(MeasuredCeilings, TheReferenceHasNone) {
  const auto device = gpu::open_device("reference");
  EXPECT_EQ(ceilings(*device, false, gpu::ProgramCache({})), std::nullopt);
}

}  // namespace
}  // namespace driftwood::measure

// What is OpenCL's own about its device; what all devices share is in device_test.cpp.
#include <gmock/gmock.h>

#include <numeric>

#include "base/error.h"
#include "gpu/opencl/probes.h"
#include "opencl_test_device.h"
#include "support/error_of.h"

namespace driftwood::gpu::opencl::test {
namespace {

using driftwood::test::error_of;
using testing::HasSubstr;

TEST_F(OpenClTest, FactsSayWhichOpenClItIs) {
  EXPECT_THAT(device().facts().api, testing::StartsWith("OpenCL "));
  EXPECT_EQ(device().facts().buffer_alignment % 16, 0u);
}

TEST_F(OpenClTest, LargeWritesThroughPinnedMemoryArriveWhole) {
  const FoundDevice found = enumerate().devices.front();
  const auto context = Context::open(found.platform.api, found.platform.platform, found.device);
  OpenClMemory memory(context, device().facts(), {.bytes = 40'000'012});
  Transfer transfer(context, false);  // as on a device with memory of its own
  std::vector<std::uint32_t> values(10'000'000);
  std::iota(values.begin(), values.end(), 3u);
  transfer.write_buffer(memory, 8, std::as_bytes(std::span(values)));
  std::vector<std::uint32_t> back(values.size());
  transfer.read_buffer(memory, 8, std::as_writable_bytes(std::span(back)));
  EXPECT_EQ(back, values);
}

TEST_F(OpenClTest, AKernelThatDoesNotCompileGivesTheDriversLog) {
  const std::string message = error_of([&] { kernel("__kernel void run(__global float* x) { x[0] = missing; }", {}); });
  EXPECT_THAT(message, testing::AllOf(HasSubstr("does not compile kernel 'test kernel'"), HasSubstr("missing")));
  EXPECT_THAT(error_of([&] { kernel("__kernel void other(__global float* x) { }", {}); }),
              HasSubstr("no kernel 'run'"));
}

TEST(ProbeResultsTest, TextRoundTripsAndOtherVersionsAreIgnored) {
  ProbeResults results;
  results.dialect.f16_arithmetic = true;
  results.dialect.subgroups = shader::OpenClDialect::Subgroups::NvidiaPtx;
  results.dialect.matrices = true;
  results.dialect.f16_ptx = true;
  results.subgroup_size = 32;
  results.language = "-cl-std=CL3.0";
  results.keeps_binaries = false;
  const auto back = probe_results_from_text(to_text(results));
  ASSERT_TRUE(back);
  EXPECT_EQ(to_text(*back), to_text(results));
  EXPECT_TRUE(back->dialect.matrices);
  EXPECT_FALSE(probe_results_from_text(""));
  EXPECT_FALSE(probe_results_from_text("driftwood probes 0\n1 1 1 1 32 1\n-cl-std=CL1.2\n"));
  EXPECT_FALSE(probe_results_from_text(to_text(results).substr(0, 25)));
}

}  // namespace
}  // namespace driftwood::gpu::opencl::test

// What is WebGPU's own about its devices; what all devices share is in device_test.cpp.
#include <gmock/gmock.h>

#include "base/error.h"
#include "support/error_of.h"
#include "webgpu_test_device.h"

namespace driftwood::gpu::webgpu::test {
namespace {

using driftwood::test::error_of;
using testing::AllOf;
using testing::HasSubstr;

DRIFTWOOD_WEBGPU_SUITE(WebGpuTest);

TEST_P(WebGpuTest, FactsSayWhichLibraryItIsAndWhatWebGpuPromises) {
  const DeviceFacts& facts = device().facts();
  EXPECT_THAT(facts.id, testing::StartsWith("webgpu:"));
  EXPECT_THAT(facts.driver, HasSubstr(GetParam() == Library::Kind::Dawn ? "Dawn" : "wgpu-native"));
  EXPECT_THAT(facts.api, testing::StartsWith("WebGPU over "));
  EXPECT_GE(facts.max_workgroup_size, 128u);
  EXPECT_GE(facts.max_allocation, 128u << 20);
  EXPECT_GE(facts.max_binding, 128u << 20);
  EXPECT_GE(facts.max_bindings, 8u);
  EXPECT_EQ(facts.buffer_alignment % 16, 0u);
  EXPECT_FALSE(facts.is_cpu);
  EXPECT_TRUE(facts.has_images);
  EXPECT_EQ(facts.max_image_buffer, 0u);
}

TEST_P(WebGpuTest, AKernelThatDoesNotCompileGivesTheLibrarysMessage) {
  const std::string message = error_of([&] {
    kernel(
        "@group(0) @binding(0) var<storage, read_write> x: array<f32>;\n"
        "@compute @workgroup_size(1) fn run() { x[0] = missing; }",
        {buffer_parameter("x", true)});
  });
  EXPECT_THAT(message, AllOf(HasSubstr("does not compile kernel 'test kernel'"), HasSubstr("missing")));
  EXPECT_THAT(error_of([&] { kernel("@compute @workgroup_size(1) fn other() { }", {}); }),
              HasSubstr("does not compile kernel 'test kernel'"));
  device().finish();  // and the device goes on
}

}  // namespace
}  // namespace driftwood::gpu::webgpu::test

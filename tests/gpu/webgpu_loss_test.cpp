// Libraries that are none, and devices that are lost while they work.
#include <gmock/gmock.h>

#include <fstream>

#include "base/error.h"
#include "opencl_test_device.h"
#include "support/error_of.h"
#include "webgpu_test_device.h"

namespace driftwood::gpu::webgpu::test {
namespace {

using opencl::test::ScopedVariable;
using opencl::test::TemporaryFolder;
using testing::AllOf;
using testing::HasSubstr;

TEST(WebGpuLoader, FilesThatAreNoLibraryAreListedWithTheReason) {
  const TemporaryFolder folder;
  const std::filesystem::path text = folder.path() / "libtext.so";
  std::ofstream(text) << "no library\n";
  const Enumeration result = enumerate(
      {.files = {text.string(), "libm.so.6", (folder.path() / "libmissing.so").string(), folder.path().string()}});
  EXPECT_TRUE(result.devices.empty());
  ASSERT_EQ(result.failures.size(), 4u);
  EXPECT_EQ(result.failures[0].source, text.string());
  EXPECT_THAT(result.failures[0].reason, HasSubstr("cannot be opened"));
  EXPECT_THAT(result.failures[1].reason, HasSubstr("lacks the WebGPU function wgpuCreateInstance"));
  EXPECT_THAT(result.failures[2].reason, HasSubstr("No such file"));
  EXPECT_THAT(result.failures[3].reason, HasSubstr("cannot be opened"));
}

TEST(WebGpuLoader, TheVariableNamesTheLibrariesAndNothingElseIsTried) {
  {
    const ScopedVariable variable("DRIFTWOOD_WEBGPU", "");
    EXPECT_TRUE(LoaderOptions::standard().files.empty());
    EXPECT_TRUE(enumerate().failures.empty());
  }
  const ScopedVariable variable("DRIFTWOOD_WEBGPU", "/one/liba.so::/two/libb.so:");
  EXPECT_THAT(LoaderOptions::standard().files, testing::ElementsAre("/one/liba.so", "/two/libb.so"));
}

TEST(WebGpuLoader, ALibraryNamedTwiceIsOpenedOnce) {
  const Libraries all = load_libraries();
  LoaderOptions twice = LoaderOptions::standard();
  const std::vector<std::string> files = twice.files;
  twice.files.insert(twice.files.end(), files.begin(), files.end());
  EXPECT_EQ(load_libraries(twice).libraries.size(), all.libraries.size());
}

using WebGpuLossTest = WebGpuTest;
DRIFTWOOD_WEBGPU_SUITE(WebGpuLossTest);

constexpr const char* count_up = R"(
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@compute @workgroup_size(1) fn run() { x[0] += 1u; }
)";

TEST_P(WebGpuLossTest, ALostDeviceSaysSoAndTheNextOneComputes) {
  const auto same_library = [&](const FoundDevice& each) { return each.instance->library().kind == GetParam(); };
  const auto& devices = found().devices;
  const FoundDevice place = *std::find_if(devices.begin(), devices.end(), same_library);
  for (int round = 0; round < 2; ++round) {
    WebGpuDevice doomed(place);
    const auto memory = doomed.allocate({.bytes = 16});
    doomed.fill_zero(*memory, 0, 16);
    const auto count = doomed.compile_source(count_up, "run", "count", {{buffer_parameter("x", true)}, {}, {1, 1, 1}});
    const auto recording = doomed.record({{count, {{memory}}}});
    doomed.submit(*recording);
    std::vector<std::uint32_t> value(4);
    doomed.read(*memory, 0, std::as_writable_bytes(std::span(value)));
    EXPECT_EQ(value[0], 1u);

    const Context& context = doomed.context();
    if (context.api().force_loss != nullptr) {
      context.api().force_loss(context.device.get(), WGPUDeviceLostReason_Unknown, view_of("the test says so"));
    } else {
      context.api().wgpuDeviceDestroy(context.device.get());
    }
    EXPECT_THROW(doomed.read(*memory, 0, std::as_writable_bytes(std::span(value))), DeviceLost);
    const std::string lost = driftwood::test::error_of([&] { doomed.finish(); });
    EXPECT_THAT(lost, AllOf(HasSubstr("The device '" + place.id + "' is lost"),
                            HasSubstr(context.api().force_loss != nullptr ? "the test says so" : "destroyed")));
    EXPECT_THROW(doomed.submit(*recording), DeviceLost);
    EXPECT_THROW(doomed.submit_profiled(*recording), DeviceLost);
    EXPECT_THROW(doomed.allocate({.bytes = 16}), DeviceLost);
    EXPECT_THROW(doomed.write(*memory, 0, std::as_bytes(std::span(value))), DeviceLost);
    EXPECT_THROW(doomed.fill_zero(*memory, 0, 16), DeviceLost);
    EXPECT_THROW(doomed.record({{count, {{memory}}}}), DeviceLost);
    EXPECT_THROW(doomed.compile_source(count_up, "run", "count", {{buffer_parameter("x", true)}, {}, {1, 1, 1}}),
                 DeviceLost);
  }
  device().finish();  // others go on
}

TEST_P(WebGpuLossTest, WhatIsReportedLaterIsThrownByTheNextCall) {
  device().context().reports->add(WGPUErrorType_Validation, "a late report\nwith more lines");
  EXPECT_THAT(driftwood::test::error_of([&] { device().finish(); }), HasSubstr("a late report"));
  device().finish();  // once
  device().context().reports->add(WGPUErrorType_OutOfMemory, "no memory");
  EXPECT_THROW(device().finish(), OutOfMemory);
}

TEST(WebGpuCache, DawnKeepsItsProgramsOnDiskAndPassesOverDamage) {
  if (first_device(Library::Kind::Dawn) == nullptr) GTEST_SKIP() << "This machine has no such WebGPU device.";
  const FoundDevice& place = found().devices.front();
  const TemporaryFolder folder;
  const auto count_files = [&] {
    return std::distance(std::filesystem::directory_iterator(folder.path()), std::filesystem::directory_iterator());
  };
  std::ptrdiff_t files = 0;
  for (int round = 0; round < 3; ++round) {
    {
      WebGpuDevice opened(place, ProgramCache(folder.path()));
      opened.compile_source(count_up, "run", "count", {{buffer_parameter("x", true)}, {}, {1, 1, 1}});
    }
    EXPECT_GT(count_files(), 0);
    if (round == 1) {
      EXPECT_EQ(count_files(), files) << "the second start stores nothing new";
      for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
        std::ofstream(entry.path(), std::ios::binary | std::ios::trunc) << "damaged";
      }
    }
    files = count_files();
  }
}

TEST(WebGpuErrors, LongMessagesAreCut) {
  std::string message;
  for (int i = 0; i < 100; ++i) message += "line\n";
  EXPECT_EQ(first_lines(message), "line\nline\nline\nline\nline\nline\nline\nline");
  EXPECT_LE(first_lines(std::string(5000, 'x')).size(), 1200u);
  EXPECT_EQ(first_lines(""), "");
}

}  // namespace
}  // namespace driftwood::gpu::webgpu::test

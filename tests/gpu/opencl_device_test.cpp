#include <gmock/gmock.h>

#include <numeric>

#include "base/error.h"
#include "gpu/opencl/probes.h"
#include "opencl_test_device.h"

namespace driftwood::gpu::opencl::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* add_one = R"(
__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void run(__global float* x) { x[get_global_id(0)] += 1.0f; }
)";

template <class Callable>
std::string message_of(Callable&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(OpenClTest, FactsAreComplete) {
  const DeviceFacts& facts = device().facts();
  EXPECT_EQ(facts.id, "opencl:0");
  EXPECT_FALSE(facts.name.empty());
  EXPECT_FALSE(facts.driver.empty());
  EXPECT_THAT(facts.api, testing::StartsWith("OpenCL "));
  EXPECT_GE(facts.max_workgroup_size, 64u);
  EXPECT_GE(facts.max_allocation, 1u << 20);
  EXPECT_GE(facts.global_memory, facts.max_allocation);
  EXPECT_GE(facts.local_memory, 16u << 10);
  EXPECT_EQ(facts.buffer_alignment % 16, 0u);
  EXPECT_EQ(facts.has_subgroups, facts.subgroup_size > 1);
}

TEST_F(OpenClTest, DispatchesRunInOrderAndGridsMayChange) {
  const auto memory = buffer_of(std::vector<float>(8, 0.0f));
  const auto add = kernel(add_one, {buffer_parameter("x")}, {4, 1, 1});
  const auto recording = device().record({{add, {{memory}}, {2, 1, 1}, "both"}, {add, {{memory}}, {1, 1, 1}, "first"}});
  device().submit(*recording);
  EXPECT_THAT(values_of<float>(*memory, 8), ElementsAre(2, 2, 2, 2, 1, 1, 1, 1));
  recording->set_workgroups(0, {0, 1, 1});  // skipped
  recording->set_workgroups(1, {2, 1, 1});
  device().submit(*recording);
  device().submit(*recording);
  EXPECT_THAT(values_of<float>(*memory, 8), ElementsAre(4, 4, 4, 4, 3, 3, 3, 3));
}

TEST_F(OpenClTest, ProfilingGivesATimeForEachDispatchInOrderWithTheRest) {
  const auto memory = buffer_of(std::vector<float>(4, 1.0f));
  const auto add = kernel(add_one, {buffer_parameter("x")}, {4, 1, 1});
  const auto recording = device().record({{add, {{memory}}}, {add, {{memory}}, {0, 1, 1}}, {add, {{memory}}}});
  device().submit(*recording);
  const std::vector<double> times = device().submit_profiled(*recording);
  ASSERT_EQ(times.size(), 3u);
  EXPECT_GT(times[0], 0.0);
  EXPECT_EQ(times[1], 0.0) << "a skipped dispatch takes no time";
  EXPECT_GT(times[2], 0.0);
  device().submit(*recording);
  EXPECT_THAT(values_of<float>(*memory, 4), ElementsAre(7, 7, 7, 7));
}

TEST_F(OpenClTest, WritesOfAllSizesArriveInOrder) {
  for (const std::size_t count : {std::size_t{1}, std::size_t{1000}, std::size_t{100'000}, std::size_t{9'000'000}}) {
    std::vector<std::uint32_t> values(count);
    std::iota(values.begin(), values.end(), 7u);
    const auto memory = buffer_of(values);
    values.back() = 99;
    device().write(*memory, (count - 1) * 4, std::as_bytes(std::span(values).last(1)));
    EXPECT_EQ(values_of<std::uint32_t>(*memory, count), values);
  }
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

TEST_F(OpenClTest, SmallWritesNeedNotKeepTheirSource) {
  const auto memory = device().allocate({.bytes = 4});
  const auto sum = device().allocate({.bytes = 16});
  device().fill_zero(*sum, 0, 16);
  const auto add = kernel("__kernel void run(__global const uint* x, __global uint* sum) { sum[0] += x[0]; }",
                          {buffer_parameter("x"), buffer_parameter("sum")});
  const auto recording = device().record({{add, {{memory}, {sum}}}});
  for (std::uint32_t i = 1; i <= 300; ++i) {
    std::vector<std::uint32_t> value = {i};
    device().write(*memory, 0, std::as_bytes(std::span(value)));
    value[0] = 0xDEAD;
    device().submit(*recording);
  }
  device().finish();
  EXPECT_EQ(values_of<std::uint32_t>(*sum, 1)[0], 300u * 301u / 2u);
}

TEST_F(OpenClTest, FillZeroTouchesOnlyItsRange) {
  const auto memory = buffer_of(std::vector<std::uint8_t>(64, 0xFF));
  device().fill_zero(*memory, 3, 5);
  device().fill_zero(*memory, 16, 16);
  device().fill_zero(*memory, 60, 4);
  std::vector<std::uint8_t> expected(64, 0xFF);
  std::fill_n(expected.begin() + 3, 5, 0);
  std::fill_n(expected.begin() + 16, 16, 0);
  std::fill_n(expected.begin() + 60, 4, 0);
  EXPECT_EQ(values_of<std::uint8_t>(*memory, 64), expected);
}

TEST_F(OpenClTest, AllocatedBytesAreCounted) {
  const std::uint64_t before = device().allocated_bytes();
  auto buffer = device().allocate({.bytes = 1000});
  EXPECT_EQ(device().allocated_bytes(), before + 1000);
  if (device().facts().has_images) {
    auto image = device().allocate({.kind = StorageKind::Texture2D, .texel = DataType::F16, .extent = {10, 3, 1}});
    EXPECT_EQ(device().allocated_bytes(), before + 1000 + 10 * 3 * 8);
  }
  buffer.reset();
  EXPECT_EQ(device().allocated_bytes(), before);
}

TEST_F(OpenClTest, LengthArgumentsCountTheElementsOfTheBinding) {
  const std::uint64_t step = device().facts().buffer_alignment;
  const auto memory = device().allocate({.bytes = 4 * step});
  const auto out = buffer_of(std::vector<std::uint32_t>(2, 0));
  const auto count = kernel("__kernel void run(__global uint* x, __global uint* out, uint n) { out[0] = n; }",
                            {buffer_parameter("x"), buffer_parameter("out")}, {1, 1, 1}, {{0, 16, 8}});
  run({{count, {{memory, step}, {out}}}});
  EXPECT_EQ(values_of<std::uint32_t>(*out, 1)[0], (3 * step - 16) / 8);
}

TEST_F(OpenClTest, SubBufferOffsetsReachTheKernel) {
  const std::uint64_t step = device().facts().buffer_alignment;
  const std::size_t stride = step / sizeof(float);
  const auto memory = buffer_of(std::vector<float>(4 * stride, 0.0f));
  const auto add = kernel(add_one, {buffer_parameter("x", 16)}, {4, 1, 1});
  run({{add, {{memory, step, 16}}}, {add, {{memory, 3 * step}}}, {add, {{memory, step, 16}}}, {add, {{memory}}}});
  const std::vector<float> values = values_of<float>(*memory, 4 * stride);
  EXPECT_EQ(values[0], 1.0f);
  EXPECT_EQ(values[stride], 2.0f);
  EXPECT_EQ(values[2 * stride], 0.0f);
  EXPECT_EQ(values[3 * stride], 1.0f);
}

TEST_F(OpenClTest, RecordingRefusesWhatDoesNotFit) {
  const auto memory = device().allocate({.bytes = 4096});
  const auto add = kernel(add_one, {buffer_parameter("x", 16)}, {4, 1, 1});
  const auto attempt = [&](Dispatch dispatch) { return message_of([&] { device().record({std::move(dispatch)}); }); };
  EXPECT_THAT(attempt({add, {}, {1, 1, 1}, "empty"}),
              testing::AllOf(HasSubstr("takes 1 bindings; the dispatch has 0"), HasSubstr("dispatch 0 (empty)")));
  EXPECT_THAT(attempt({add, {{nullptr}}}), HasSubstr("'x' has no memory of this device"));
  EXPECT_THAT(attempt({nullptr, {}, {1, 1, 1}}), HasSubstr("no kernel of this device"));
  EXPECT_THAT(attempt({add, {{memory, 4}}}), HasSubstr("offset 4"));
  EXPECT_THAT(attempt({add, {{memory, 0, 8}}}), HasSubstr("holds 8 bytes; the kernel uses 16"));
  EXPECT_THAT(attempt({add, {{memory, 0, 5000}}}), HasSubstr("5000 bytes from offset 0 of a buffer of 4096 bytes"));
  EXPECT_THAT(attempt({add, {{memory, 4096}}}), HasSubstr("from offset 4096"));
  EXPECT_THAT(attempt({add, {{memory}}, {65536, 1, 1}}), HasSubstr("65536 workgroups in dimension 0"));
  std::vector<std::byte> eight(8);
  EXPECT_THAT(message_of([&] { device().read(*memory, 4090, eight); }),
              HasSubstr("8 bytes at offset 4090 exceed the 4096 bytes"));
}

TEST_F(OpenClTest, AllocationBeyondALimitIsOutOfMemory) {
  const DeviceFacts& facts = device().facts();
  EXPECT_THROW(device().allocate({.bytes = facts.max_allocation + 1}), OutOfMemory);
  EXPECT_THROW(device().allocate({.bytes = ~std::uint64_t{0}}), OutOfMemory);
  EXPECT_THROW(device().allocate({.bytes = 0}), InvalidInput);
  if (facts.has_images) {
    EXPECT_THROW(device().allocate({.kind = StorageKind::Texture2D, .extent = {facts.max_image_2d[0] + 1, 1, 1}}),
                 OutOfMemory);
  }
}

TEST_F(OpenClTest, AKernelThatDoesNotCompileGivesTheDriversLog) {
  const std::string message =
      message_of([&] { kernel("__kernel void run(__global float* x) { x[0] = missing; }", {}); });
  EXPECT_THAT(message, testing::AllOf(HasSubstr("does not compile kernel 'test kernel'"), HasSubstr("missing")));
  EXPECT_THAT(message_of([&] { kernel("__kernel void other(__global float* x) { }", {}); }),
              HasSubstr("no kernel 'run'"));
}

TEST_F(OpenClTest, AWorkgroupLargerThanTheDeviceAllowsIsRefused) {
  const std::uint32_t limit = device().facts().max_workgroup_size;
  EXPECT_THAT(message_of([&] {
                kernel(add_one, {buffer_parameter("x")}, {limit, 2, 1});
              }),
              HasSubstr(std::to_string(limit)));
}

TEST_F(OpenClTest, MemoryAndKernelsMayOutliveTheirDevice) {
  std::shared_ptr<Memory> memory;
  std::shared_ptr<Kernel> add;
  std::unique_ptr<Recording> recording;
  {
    OpenClDevice other(enumerate().devices.front());
    memory = other.allocate({.bytes = 64});
    add = other.compile_source(add_one, "run", "add", {{buffer_parameter("x")}, {}, {4, 1, 1}});
    recording = other.record({{add, {{memory}}}});
    EXPECT_THROW(device().submit(*recording), InvalidInput) << "a recording belongs to its device";
    EXPECT_THROW(device().write(*memory, 0, {}), InvalidInput);
    other.submit(*recording);
  }
  EXPECT_EQ(recording->size(), 1u);
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

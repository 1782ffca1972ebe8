#include <gmock/gmock.h>

#include <numeric>

#include "base/error.h"
#include "gpu/webgpu/facts.h"
#include "support/error_of.h"
#include "webgpu_test_device.h"

namespace driftwood::gpu::webgpu::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* add_one = R"(
@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@compute @workgroup_size(4) fn run(@builtin(global_invocation_id) id: vec3<u32>) { x[id.x] += 1.0; }
)";
constexpr const char* count_up = R"(
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> sum: array<u32>;
@compute @workgroup_size(1) fn run() { sum[0] += x[0]; }
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

DRIFTWOOD_WEBGPU_SUITE(WebGpuTest);

TEST_P(WebGpuTest, FactsAreComplete) {
  const DeviceFacts& facts = device().facts();
  EXPECT_THAT(facts.id, testing::StartsWith("webgpu:"));
  EXPECT_FALSE(facts.name.empty());
  EXPECT_THAT(facts.driver, HasSubstr(GetParam() == Library::Kind::Dawn ? "Dawn" : "wgpu-native"));
  EXPECT_THAT(facts.api, testing::StartsWith("WebGPU over "));
  EXPECT_GE(facts.max_workgroup_size, 128u);
  EXPECT_GE(facts.max_allocation, 128u << 20);
  EXPECT_GE(facts.max_binding, 128u << 20);
  EXPECT_GE(facts.max_bindings, 8u);
  EXPECT_GE(facts.global_memory, facts.max_allocation);
  EXPECT_GE(facts.local_memory, 16u << 10);
  EXPECT_EQ(facts.buffer_alignment % 16, 0u);
  EXPECT_EQ(facts.has_subgroups, facts.subgroup_size > 1);
  EXPECT_FALSE(facts.is_cpu);
  EXPECT_TRUE(facts.has_images);
  EXPECT_EQ(facts.max_image_buffer, 0u);
}

TEST_P(WebGpuTest, DispatchesRunInOrderAndGridsMayChange) {
  const auto memory = buffer_of(std::vector<float>(8, 0.0f));
  const auto add = kernel(add_one, {buffer_parameter("x", true)}, {4, 1, 1});
  const auto recording = device().record({{add, {{memory}}, {2, 1, 1}, "both"}, {add, {{memory}}, {1, 1, 1}, "first"}});
  device().submit(*recording);
  EXPECT_THAT(values_of<float>(*memory, 8), ElementsAre(2, 2, 2, 2, 1, 1, 1, 1));
  recording->set_workgroups(0, {0, 1, 1});  // skipped
  recording->set_workgroups(1, {2, 1, 1});
  device().submit(*recording);
  device().submit(*recording);
  EXPECT_THAT(values_of<float>(*memory, 8), ElementsAre(4, 4, 4, 4, 3, 3, 3, 3));
}

TEST_P(WebGpuTest, LongRecordingsRunWhole) {
  const auto memory = buffer_of(std::vector<float>(4, 0.0f));
  const auto add = kernel(add_one, {buffer_parameter("x", true)}, {4, 1, 1});
  const auto recording = device().record(std::vector<Dispatch>(700, {add, {{memory}}}));
  device().submit(*recording);
  EXPECT_THAT(values_of<float>(*memory, 4), ElementsAre(700, 700, 700, 700));
}

TEST_P(WebGpuTest, ProfilingGivesATimeForEachDispatchInOrderWithTheRest) {
  const auto memory = buffer_of(std::vector<float>(4, 1.0f));
  const auto add = kernel(add_one, {buffer_parameter("x", true)}, {4, 1, 1});
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

TEST_P(WebGpuTest, WritesOfAllSizesArriveInOrder) {
  for (const std::size_t count : {std::size_t{1}, std::size_t{1000}, std::size_t{9'000'000}, std::size_t{20'000'000}}) {
    std::vector<std::uint32_t> values(count);
    std::iota(values.begin(), values.end(), 7u);
    const auto memory = buffer_of(values);
    values.back() = 99;
    device().write(*memory, (count - 1) * 4, std::as_bytes(std::span(values).last(1)));
    EXPECT_EQ(values_of<std::uint32_t>(*memory, count), values);
  }
}

TEST_P(WebGpuTest, SmallWritesNeedNotKeepTheirSource) {
  const auto memory = device().allocate({.bytes = 4});
  const auto sum = device().allocate({.bytes = 16});
  device().fill_zero(*sum, 0, 16);
  const auto add = kernel(count_up, {buffer_parameter("x", false), buffer_parameter("sum", true)});
  const auto recording = device().record({{add, {{memory}, {sum}}}});
  for (std::uint32_t i = 1; i <= 100; ++i) {
    std::vector<std::uint32_t> value = {i};
    device().write(*memory, 0, std::as_bytes(std::span(value)));
    value[0] = 0xDEAD;
    device().submit(*recording);
  }
  device().finish();
  EXPECT_EQ(values_of<std::uint32_t>(*sum, 1)[0], 100u * 101u / 2u);
}

TEST_P(WebGpuTest, PartsOfWordsAreWrittenReadAndFilledAlone) {
  std::vector<std::uint8_t> expected(62);  // no whole number of words
  std::iota(expected.begin(), expected.end(), std::uint8_t{100});
  const auto memory = buffer_of(expected);
  const auto write = [&](std::uint64_t offset, std::vector<std::uint8_t> bytes) {
    device().write(*memory, offset, std::as_bytes(std::span(bytes)));
    std::copy(bytes.begin(), bytes.end(), expected.begin() + static_cast<std::ptrdiff_t>(offset));
  };
  const auto clear = [&](std::uint64_t offset, std::uint64_t size) {
    device().fill_zero(*memory, offset, size);
    std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(offset), size, std::uint8_t{0});
  };
  write(5, {1, 2});
  write(11, {3, 4, 5, 6, 7, 8, 9, 10});
  write(61, {11});
  clear(17, 5);
  clear(24, 8);
  clear(33, 1);
  clear(60, 2);
  EXPECT_EQ(values_of<std::uint8_t>(*memory, 62), expected);
  const std::vector<std::uint8_t> part(expected.begin() + 3, expected.begin() + 60);
  EXPECT_EQ(values_of<std::uint8_t>(*memory, 57, 3), part);
  clear(61, 1);
  EXPECT_EQ(values_of<std::uint8_t>(*memory, 62), expected);
}

TEST_P(WebGpuTest, AllocatedBytesAreCounted) {
  const std::uint64_t before = device().allocated_bytes();
  auto buffer = device().allocate({.bytes = 1001});
  EXPECT_EQ(device().allocated_bytes(), before + 1001);
  auto image = device().allocate({.kind = StorageKind::Texture2D, .texel = DataType::F16, .extent = {10, 3, 1}});
  EXPECT_EQ(device().allocated_bytes(), before + 1001 + 10 * 3 * 8);
  buffer.reset();
  image.reset();
  EXPECT_EQ(device().allocated_bytes(), before);
}

TEST_P(WebGpuTest, OffsetsAndLengthsReachTheKernel) {
  const std::uint64_t step = device().facts().buffer_alignment;
  const std::size_t stride = step / sizeof(float);
  const auto memory = buffer_of(std::vector<float>(4 * stride, 0.0f));
  const auto add = kernel(add_one, {buffer_parameter("x", true, 16)}, {4, 1, 1});
  run({{add, {{memory, step, 16}}}, {add, {{memory, 3 * step}}}, {add, {{memory, step, 16}}}, {add, {{memory}}}});
  const std::vector<float> values = values_of<float>(*memory, 4 * stride);
  EXPECT_EQ(values[0], 1.0f);
  EXPECT_EQ(values[stride], 2.0f);
  EXPECT_EQ(values[2 * stride], 0.0f);
  EXPECT_EQ(values[3 * stride], 1.0f);
  const auto out = device().allocate({.bytes = 4});
  const auto count = kernel(R"(
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1) fn run() { out[0] = arrayLength(&x); }
)",
                            {buffer_parameter("x", false), buffer_parameter("out", true)});
  run({{count, {{memory, step}, {out}}}});
  EXPECT_EQ(values_of<std::uint32_t>(*out, 1)[0], 3 * stride);
}

TEST_P(WebGpuTest, AUniformMayLieInALargeBuffer) {
  const std::uint64_t step = device().facts().buffer_alignment;
  const auto memory = device().allocate({.bytes = 1u << 20});
  const std::vector<std::uint32_t> values = {5, 6, 7, 8};
  device().write(*memory, step, std::as_bytes(std::span(values)));
  const auto out = device().allocate({.bytes = 4});
  Parameter parameters{.name = "p", .is_uniform = true, .min_bytes = 16};
  const auto sum = kernel(R"(
@group(0) @binding(0) var<uniform> p: vec4<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1) fn run() { out[0] = p.x + 10u * p.w; }
)",
                          {parameters, buffer_parameter("out", true)});
  run({{sum, {{memory, step}, {out}}}});
  EXPECT_EQ(values_of<std::uint32_t>(*out, 1)[0], 85u);
}

TEST_P(WebGpuTest, RecordingRefusesWhatDoesNotFit) {
  const auto memory = device().allocate({.bytes = 4096});
  const auto add = kernel(add_one, {buffer_parameter("x", true, 16)}, {4, 1, 1});
  const auto attempt = [&](Dispatch dispatch) { return message_of([&] { device().record({std::move(dispatch)}); }); };
  EXPECT_THAT(attempt({add, {}, {1, 1, 1}, "empty"}),
              AllOf(HasSubstr("takes 1 bindings; the dispatch has 0"), HasSubstr("dispatch 0 (empty)")));
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

TEST_P(WebGpuTest, AllocationBeyondALimitIsOutOfMemory) {
  const DeviceFacts& facts = device().facts();
  EXPECT_THROW(device().allocate({.bytes = facts.max_allocation + 1}), OutOfMemory);
  EXPECT_THROW(device().allocate({.bytes = ~std::uint64_t{0}}), OutOfMemory);
  EXPECT_THROW(device().allocate({.bytes = 0}), InvalidInput);
  EXPECT_THROW(device().allocate({.kind = StorageKind::Texture2D, .extent = {facts.max_image_2d[0] + 1, 1, 1}}),
               OutOfMemory);
  EXPECT_THROW(device().allocate({.kind = StorageKind::ImageBuffer, .extent = {4, 1, 1}}), Unsupported);
}

TEST_P(WebGpuTest, AKernelThatDoesNotCompileGivesTheLibrarysMessage) {
  const std::string message = message_of([&] {
    kernel(
        "@group(0) @binding(0) var<storage, read_write> x: array<f32>;\n"
        "@compute @workgroup_size(1) fn run() { x[0] = missing; }",
        {buffer_parameter("x", true)});
  });
  EXPECT_THAT(message, AllOf(HasSubstr("does not compile kernel 'test kernel'"), HasSubstr("missing")));
  EXPECT_THAT(message_of([&] { kernel("@compute @workgroup_size(1) fn other() { }", {}); }),
              HasSubstr("does not compile kernel 'test kernel'"));
  device().finish();  // and the device goes on
}

TEST_P(WebGpuTest, KernelsBeyondALimitAreRefused) {
  const std::uint32_t limit = device().facts().max_workgroup_size;
  EXPECT_THAT(message_of([&] {
                kernel(add_one, {buffer_parameter("x", true)}, {limit, 2, 1});
              }),
              HasSubstr(std::to_string(limit)));
  const std::uint32_t buffers = device().facts().max_bindings;
  const std::string message =
      message_of([&] { kernel(add_one, std::vector<Parameter>(buffers + 1, buffer_parameter("x", true))); });
  EXPECT_THAT(message, HasSubstr("uses " + std::to_string(buffers + 1) + " storage buffers"));
}

}  // namespace
}  // namespace driftwood::gpu::webgpu::test

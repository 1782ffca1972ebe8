// What every device does alike, whichever API is behind it: memory, recorded work, profiles, and what it refuses.
#include "gpu/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <numeric>

#include "base/error.h"
#include "device_work.h"
#include "run_kernel.h"
#include "support/devices.h"
#include "support/error_of.h"

namespace driftwood::test {
namespace {

using gpu::Binding;
using gpu::DeviceFacts;
using gpu::Dispatch;
using gpu::Kernel;
using gpu::Memory;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using u32 = std::uint32_t;

constexpr const char* add_one = R"(
@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@compute @workgroup_size(4) fn run(@builtin(global_invocation_id) id: vec3u) { x[id.x] += 1.0; }
)";
// The same of a type that says how much is to be bound.
constexpr const char* add_one_to_four = R"(
@group(0) @binding(0) var<storage, read_write> x: array<f32, 4>;
@compute @workgroup_size(4) fn run(@builtin(local_invocation_index) i: u32) { x[i] += 1.0; }
)";
constexpr const char* count_up = R"(
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> sum: array<u32>;
@compute @workgroup_size(1) fn run() { sum[0] += x[0]; }
)";
constexpr const char* weighted_sum = R"(
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read> b: array<i32>;
@group(0) @binding(2) var<storage, read_write> c: array<i32>;
@compute @workgroup_size(4) fn run(@builtin(global_invocation_id) id: vec3u) { c[id.x] = a[id.x] + 2 * b[id.x]; }
)";

class DeviceTest : public testing::TestWithParam<std::string>, public DeviceWork {
 protected:
  void SetUp() override {
    if (test::device(GetParam()) == nullptr) GTEST_SKIP() << "This machine has no device '" << GetParam() << "'.";
  }
  gpu::Device& device() override { return *test::device(GetParam()); }
  const DeviceFacts& facts() { return device().facts(); }

  static shader::Module module_of(const std::string& text, const DeviceFacts& facts,
                                  std::map<std::string, double> overrides = {}) {
    const shader::SourceProvider sources = [&](std::string_view) -> std::optional<shader::SourceFile> {
      return shader::SourceFile{"test.wgsl", text};
    };
    shader::Specialization specialization;
    specialization.overrides = std::move(overrides);
    return shader::compile(sources, "package::test", specialization, traits_of(facts));
  }
  std::shared_ptr<Kernel> kernel(const std::string& text, std::map<std::string, double> overrides = {}) {
    return device().compile(module_of(text, facts(), std::move(overrides)), "test kernel");
  }
};

INSTANTIATE_TEST_SUITE_P(All, DeviceTest, testing::Values("reference", "opencl:0", "webgpu:0", "webgpu:1", "metal-cpu"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase_if(name, [](char c) { return std::isalnum(c) == 0; });
                           return name;
                         });

TEST_P(DeviceTest, FactsAreComplete) {
  EXPECT_EQ(facts().id, GetParam());
  EXPECT_FALSE(facts().name.empty());
  EXPECT_FALSE(facts().api.empty());
  EXPECT_FALSE(facts().driver.empty());
  EXPECT_GE(facts().max_workgroup_size, 64u);
  EXPECT_GE(facts().max_allocation, 1u << 20);
  EXPECT_GE(facts().global_memory, facts().max_allocation);
  EXPECT_GE(facts().local_memory, 16u << 10);
  EXPECT_EQ(facts().buffer_alignment % 4, 0u);
  EXPECT_EQ(facts().has_subgroups, facts().subgroup_size > 1);
}

// ---- work

TEST_P(DeviceTest, AKernelKeepsItsNameAndItsWorkgroup) {
  const auto add = device().compile(module_of(add_one, facts()), "layer 3 add");
  EXPECT_EQ(add->name(), "layer 3 add");
  EXPECT_THAT(add->workgroup_size(), ElementsAre(4, 1, 1));
  EXPECT_GE(add->max_workgroup_size(), 4u);
}

TEST_P(DeviceTest, DispatchesRunInOrderAndGridsMayChange) {
  const auto memory = buffer_of(std::vector<float>(8, 0.0f));
  const auto add = kernel(add_one);
  const auto recording = device().record({{add, {{memory}}, {2, 1, 1}, "both"}, {add, {{memory}}, {1, 1, 1}, "first"}});
  EXPECT_EQ(recording->size(), 2u);
  device().submit(*recording);
  EXPECT_THAT(values_of<float>(*memory, 8), ElementsAre(2, 2, 2, 2, 1, 1, 1, 1));
  recording->set_workgroups(0, {0, 1, 1});  // skipped
  recording->set_workgroups(1, {2, 1, 1});
  device().submit(*recording);
  device().submit(*recording);
  EXPECT_THAT(values_of<float>(*memory, 8), ElementsAre(4, 4, 4, 4, 3, 3, 3, 3));
  recording->set_workgroups(1, {1, 1, 0});
  device().fill_zero(*memory, 0, 32);
  device().submit(*recording);
  EXPECT_THAT(values_of<float>(*memory, 8), Each(0.0f));
}

TEST_P(DeviceTest, ReadsThatComeLaterShowWhatTheWorkBeforeThemLeft) {
  const auto memory = buffer_of(std::vector<float>(4, 0.0f));
  const auto add = kernel(add_one);
  const auto recording = device().record({{add, {{memory}}}});
  std::vector<std::unique_ptr<gpu::PendingRead>> reads;
  for (std::uint32_t i = 0; i < 100; ++i) {
    device().submit(*recording);
    reads.push_back(device().read_later(*memory, std::uint64_t{4} * (i % 3), 8));
    if (i % 10 == 9) reads[i].reset();  // nobody waits for it
  }
  for (const std::size_t i : {50u, 3u, 98u, 0u}) {
    std::vector<float> values(2);
    const std::span<const std::byte> bytes = reads[i]->wait();
    ASSERT_EQ(bytes.size(), 8u);
    std::memcpy(values.data(), bytes.data(), 8);
    EXPECT_THAT(values, Each(static_cast<float>(i + 1)));
    EXPECT_EQ(reads[i]->wait().data(), bytes.data()) << "it may be asked again";
  }
  EXPECT_THAT(values_of<float>(*memory, 4), Each(100.0f));
  EXPECT_EQ(device().read_later(*memory, 0, 0)->wait().size(), 0u);
  const auto whole = device().read_later(*memory, 2, 9);
  EXPECT_EQ(whole->wait().size(), 9u) << "parts of words come too";
  const auto last = device().read_later(*memory, 0, 16);
  EXPECT_THROW(device().read_later(*memory, 12, 8), InvalidInput);
  device().submit(*recording);
  EXPECT_THAT(values_of<float>(*memory, 4), Each(101.0f));
  float first = 0;
  std::memcpy(&first, last->wait().data(), 4);
  EXPECT_EQ(first, 100.0f);
}

TEST_P(DeviceTest, LongRecordingsRunWhole) {
  const auto memory = buffer_of(std::vector<float>(4, 0.0f));
  const auto add = kernel(add_one);
  const auto recording = device().record(std::vector<Dispatch>(700, {add, {{memory}}}));
  device().submit(*recording);
  EXPECT_THAT(values_of<float>(*memory, 4), ElementsAre(700, 700, 700, 700));
}

TEST_P(DeviceTest, ProfilingGivesATimeForEachDispatchInOrderWithTheRest) {
  const auto memory = buffer_of(std::vector<float>(4, 1.0f));
  const auto add = kernel(add_one);
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

// ---- memory

TEST_P(DeviceTest, WritesOfAllSizesArriveInOrder) {
  for (const std::size_t count : {1, 1000, 100'000, 9'000'000, 20'000'000}) {
    std::vector<u32> values(count);
    std::iota(values.begin(), values.end(), 7u);
    const auto memory = buffer_of(values);
    values.back() = 99;
    device().write(*memory, (count - 1) * 4, std::as_bytes(std::span(values).last(1)));
    EXPECT_TRUE(values_of<u32>(*memory, count) == values) << count;
  }
}

TEST_P(DeviceTest, SmallWritesNeedNotKeepTheirSource) {
  const auto memory = device().allocate({.bytes = 4});
  const auto sum = device().allocate({.bytes = 16});
  device().fill_zero(*sum, 0, 16);
  const auto recording = device().record({{kernel(count_up), {{memory}, {sum}}}});
  for (u32 i = 1; i <= 300; ++i) {
    std::vector<u32> value = {i};
    device().write(*memory, 0, std::as_bytes(std::span(value)));
    value[0] = 0xDEAD;
    device().submit(*recording);
  }
  device().finish();
  EXPECT_EQ(values_of<u32>(*sum, 1)[0], 300u * 301u / 2u);
}

// Whether they wait or are copied, also where more is under way than copies are kept of.
TEST_P(DeviceTest, WritesOfAnySizeNeedNotKeepTheirSource) {
  constexpr std::size_t sizes[] = {4, 16 << 10, (16 << 10) + 4, 64 << 10, 256 << 10, (256 << 10) + 4, 128 << 10};
  constexpr std::size_t words = 2 << 20;
  const auto memory = device().allocate({.bytes = words * 4});
  std::vector<u32> expected, source;
  while (expected.size() < words) {
    for (const std::size_t size : sizes) {
      source.assign(std::min(size / 4, words - expected.size()), 0);
      std::iota(source.begin(), source.end(), static_cast<u32>(expected.size()));
      device().write(*memory, expected.size() * 4, std::as_bytes(std::span(source)));
      expected.insert(expected.end(), source.begin(), source.end());
      std::ranges::fill(source, 0xDEADu);
    }
  }
  EXPECT_TRUE(values_of<u32>(*memory, words) == expected);
}

TEST_P(DeviceTest, FillZeroTouchesOnlyItsRange) {
  const auto memory = buffer_of(std::vector<std::uint8_t>(64, 0xFF));
  device().fill_zero(*memory, 3, 5);
  device().fill_zero(*memory, 16, 16);
  device().fill_zero(*memory, 40, 0);
  device().fill_zero(*memory, 60, 4);
  std::vector<std::uint8_t> expected(64, 0xFF);
  std::fill_n(expected.begin() + 3, 5, 0);
  std::fill_n(expected.begin() + 16, 16, 0);
  std::fill_n(expected.begin() + 60, 4, 0);
  EXPECT_EQ(values_of<std::uint8_t>(*memory, 64), expected);
}

TEST_P(DeviceTest, PartsOfWordsAreWrittenReadAndFilledAlone) {
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

TEST_P(DeviceTest, AllocatedBytesAreCounted) {
  const std::uint64_t before = device().allocated_bytes();
  auto buffer = device().allocate({.bytes = 1001});
  EXPECT_EQ(device().allocated_bytes(), before + 1001);
  if (facts().has_images) {
    const auto image =
        device().allocate({.kind = StorageKind::Texture2D, .texel = DataType::F16, .extent = {10, 3, 1}});
    EXPECT_EQ(device().allocated_bytes(), before + 1001 + 240);
  }
  if (facts().max_image_3d[2] >= 4) {
    const auto image = device().allocate({.kind = StorageKind::Texture3D, .texel = DataType::U8, .extent = {2, 3, 4}});
    EXPECT_EQ(device().allocated_bytes(), before + 1001 + 96);
  }
  buffer.reset();
  EXPECT_EQ(device().allocated_bytes(), before);
}

// ---- bindings

// A unit of offsets in which kernels that run here have room.
std::uint64_t step_of(const DeviceFacts& facts) { return std::max<std::uint64_t>(facts.buffer_alignment, 64); }

TEST_P(DeviceTest, OffsetsReachTheKernel) {
  const std::uint64_t step = step_of(facts());
  const std::size_t stride = step / sizeof(float);
  const auto memory = buffer_of(std::vector<float>(4 * stride, 0.0f));
  const auto add = kernel(add_one_to_four);
  run({{add, {{memory, step, 16}}}, {add, {{memory, 3 * step}}}, {add, {{memory, step, 16}}}, {add, {{memory}}}});
  const std::vector<float> values = values_of<float>(*memory, 4 * stride);
  EXPECT_EQ(values[0], 1.0f);
  EXPECT_EQ(values[stride], 2.0f);
  EXPECT_EQ(values[2 * stride], 0.0f);
  EXPECT_EQ(values[3 * stride], 1.0f);
}

TEST_P(DeviceTest, LengthsCountTheElementsOfTheBinding) {
  const std::uint64_t step = step_of(facts());
  const auto memory = device().allocate({.bytes = 4 * step});
  device().fill_zero(*memory, 0, 4 * step);
  const auto out = buffer_of(std::vector<u32>(2, 77));
  const auto count = kernel(R"(
struct Table { head: vec4<u32>, rows: array<vec2<u32>> }
@group(0) @binding(0) var<storage, read> x: Table;
@group(0) @binding(1) var<storage, read> y: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1) fn run() {
  out[0] = arrayLength(&x.rows) + x.head.x;
  out[1] = arrayLength(&y);
}
)");
  run({{count, {{memory, step}, {memory, 2 * step, 32}, {out}}}});
  EXPECT_THAT(values_of<u32>(*out, 2), ElementsAre((3 * step - 16) / 8, 8));
  run({{count, {{memory, step, 48}, {memory, step}, {out}}}});
  EXPECT_THAT(values_of<u32>(*out, 2), ElementsAre(4, 3 * step / 4));
}

TEST_P(DeviceTest, WorkInPlaceAndPartsOfOneBufferGiveTheSameNumbers) {
  const std::uint64_t step = step_of(facts());
  const std::size_t stride = step / 4;
  std::vector<std::int32_t> values(3 * stride, 0);
  for (std::size_t i = 0; i < 4; ++i) {
    values[i] = static_cast<std::int32_t>(1 + i);
    values[stride + i] = static_cast<std::int32_t>(10 * (1 + i));
  }
  const auto sum = kernel(weighted_sum);
  const auto one = buffer_of(values);
  const auto other = device().allocate({.bytes = 16});
  const auto part = [&](int i) { return Binding{one, static_cast<std::uint64_t>(i) * step, 16}; };
  const auto result = [&](const Binding& a, const Binding& b, const Binding& c) {
    device().write(*one, 0, std::as_bytes(std::span(values)));
    run({{sum, {a, b, c}}});
    return values_of<std::int32_t>(*c.memory, 4, c.offset);
  };
  EXPECT_THAT(result(part(0), part(1), {other}), ElementsAre(21, 42, 63, 84));
  EXPECT_THAT(result(part(0), part(1), part(2)), ElementsAre(21, 42, 63, 84));
  EXPECT_THAT(result(part(0), part(1), part(0)), ElementsAre(21, 42, 63, 84));
}

TEST_P(DeviceTest, AUniformMayLieInALargeBuffer) {
  const std::uint64_t step = step_of(facts());
  const auto memory = device().allocate({.bytes = 1u << 20});
  const std::vector<u32> values = {5, 6, 7, 8};
  device().write(*memory, step, std::as_bytes(std::span(values)));
  const auto out = device().allocate({.bytes = 4});
  const auto sum = kernel(R"(
@group(0) @binding(0) var<uniform> p: vec4<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1) fn run() { out[0] = p.x + 10u * p.w; }
)");
  run({{sum, {{memory, step}, {out}}}});
  EXPECT_EQ(values_of<u32>(*out, 1)[0], 85u);
}

// ---- what is refused

TEST_P(DeviceTest, RecordingRefusesWhatDoesNotFit) {
  const auto memory = device().allocate({.bytes = 4096});
  const auto add = kernel(add_one_to_four), add_any = kernel(add_one);
  const auto attempt = [&](Dispatch dispatch) -> std::string {
    try {
      device().record({std::move(dispatch)});
    } catch (const InvalidInput& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(attempt({add, {}, {1, 1, 1}, "empty"}),
              AllOf(HasSubstr("takes 1 bindings"), HasSubstr(" 0."), HasSubstr("dispatch 0 (empty)")));
  EXPECT_THAT(attempt({add, {{nullptr}}}), AllOf(HasSubstr("'x'"), HasSubstr("dispatch 0 (test kernel)")));
  EXPECT_THAT(attempt({nullptr, {}, {1, 1, 1}}), HasSubstr("has no kernel of "));
  EXPECT_THAT(attempt({add, {{memory, 2}}}),
              AllOf(HasSubstr("offset 2"), HasSubstr(std::to_string(facts().buffer_alignment))));
  EXPECT_THAT(attempt({add, {{memory, 0, 8}}}), AllOf(HasSubstr("8 bytes"), HasSubstr("16")));
  EXPECT_THAT(attempt({add, {{memory, 0, 5000}}}), AllOf(HasSubstr("5000 bytes"), HasSubstr("4096 bytes")));
  EXPECT_THAT(attempt({add, {{memory, 4096}}}), HasSubstr("4096"));
  EXPECT_THAT(attempt({add_any, {{memory, 4096}}}), HasSubstr("4096")) << "nothing is left to bind";
  EXPECT_THAT(attempt({add, {{memory, 0, ~std::uint64_t{0}}}}), HasSubstr("4096 bytes"));
  if (facts().has_images) {
    const auto image = device().allocate({.kind = StorageKind::Texture2D, .extent = {4, 4, 1}});
    EXPECT_THAT(attempt({add, {{image}}}), HasSubstr("'x'")) << "an image for a buffer";
  }
}

TEST_P(DeviceTest, GridsBeyondTheLimitAreRefused) {
  const auto memory = buffer_of(std::vector<float>(4, 0.0f));
  const auto add = kernel(add_one_to_four);
  const auto recording = device().record({{add, {{memory}}}});
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const u32 limit = facts().max_workgroup_count[axis];
    if (limit == ~u32{0}) continue;
    std::array<u32, 3> grid = {1, 1, 1};
    grid[axis] = limit + 1;
    const auto says_both = AllOf(HasSubstr(std::to_string(limit + 1)), HasSubstr(std::to_string(limit)));
    EXPECT_THAT(error_of([&] { device().record({{add, {{memory}}, grid}}); }), says_both);
    EXPECT_THAT(error_of([&] { recording->set_workgroups(0, grid); }), says_both);
  }
  EXPECT_THROW(recording->set_workgroups(1, {1, 1, 1}), InvalidInput);
  device().submit(*recording);  // with the grid it had
  EXPECT_THAT(values_of<float>(*memory, 4), Each(1.0f));
}

TEST_P(DeviceTest, CopiesStayInside) {
  const auto memory = device().allocate({.bytes = 4096});
  std::vector<std::byte> eight(8);
  const auto says_both = AllOf(HasSubstr("8 bytes at "), HasSubstr("4090"), HasSubstr("4096 bytes"));
  EXPECT_THAT(error_of([&] { device().read(*memory, 4090, eight); }), says_both);
  EXPECT_THAT(error_of([&] { device().write(*memory, 4090, eight); }), says_both);
  EXPECT_THAT(error_of([&] { device().fill_zero(*memory, 4090, 8); }), says_both);
  EXPECT_THROW(device().read(*memory, 4097, std::span(eight).first(0)), InvalidInput);
  EXPECT_THROW(device().fill_zero(*memory, ~std::uint64_t{0}, 2), InvalidInput);
  if (!facts().has_images) return;
  const auto image = device().allocate({.kind = StorageKind::Texture2D, .texel = DataType::U8, .extent = {2, 2, 1}});
  EXPECT_THAT(error_of([&] { device().write(*image, 0, eight); }), AllOf(HasSubstr("16"), HasSubstr("copied whole")));
  EXPECT_THROW(device().read(*image, 8, eight), InvalidInput);
}

TEST_P(DeviceTest, AllocationBeyondALimitIsOutOfMemory) {
  EXPECT_THROW(device().allocate({.bytes = facts().max_allocation + 1}), OutOfMemory);
  EXPECT_THROW(device().allocate({.bytes = ~std::uint64_t{0}}), OutOfMemory);
  EXPECT_THROW(device().allocate({.bytes = 0}), InvalidInput);
  if (!facts().has_images) return;
  const auto refused = [&](StorageKind kind, std::array<u32, 3> extent, u32 beyond) {
    SCOPED_TRACE(to_string(kind));
    EXPECT_THAT(error_of([&] { device().allocate({.kind = kind, .extent = extent}); }),
                AllOf(HasSubstr(std::to_string(beyond)), HasSubstr(std::to_string(beyond - 1))));
    EXPECT_THROW(device().allocate({.kind = kind, .extent = extent}), OutOfMemory);
  };
  const u32 width = facts().max_image_2d[0] + 1, height = facts().max_image_3d[1] + 1;
  refused(StorageKind::Texture2D, {width, 1, 1}, width);
  if (height > 1) refused(StorageKind::Texture3D, {4, height, 1}, height);
  const u32 layers = facts().max_image_layers + 1;
  if (layers > 1) refused(StorageKind::Texture2DArray, {4, 4, layers}, layers);
  const std::uint64_t texels = facts().max_image_buffer;
  if (texels == 0) {
    EXPECT_THROW(device().allocate({.kind = StorageKind::ImageBuffer, .extent = {4, 1, 1}}), Unsupported);
  } else if (texels < ~u32{0}) {
    refused(StorageKind::ImageBuffer, {static_cast<u32>(texels) + 1, 1, 1}, static_cast<u32>(texels) + 1);
  }
  EXPECT_THROW(device().allocate({.kind = StorageKind::Texture2D, .extent = {4, 0, 1}}), InvalidInput);
}

TEST_P(DeviceTest, KernelsBeyondALimitAreRefused) {
  const u32 limit = facts().max_workgroup_size;
  EXPECT_THAT(error_of([&] {
                kernel(
                    "override lanes: u32;\n@group(0) @binding(0) var<storage, read_write> x: array<f32>;\n"
                    "@compute @workgroup_size(lanes, 2) fn run() { x[0] = 1.0; }",
                    {{"lanes", limit}});
              }),
              HasSubstr(std::to_string(limit)));
  const u32 most = facts().max_bindings;
  if (most == 0) return;
  std::string declarations, sum = "0u";
  for (u32 i = 0; i <= most; ++i) {
    const std::string name = "x" + std::to_string(i);
    declarations +=
        "@group(0) @binding(" + std::to_string(i) + ") var<storage, read_write> " + name + ": array<u32>;\n";
    sum += " + " + name + "[1]";
  }
  EXPECT_THAT(error_of([&] { kernel(declarations + "@compute @workgroup_size(1) fn run() { x0[0] = " + sum + "; }"); }),
              AllOf(HasSubstr(std::to_string(most + 1)), HasSubstr("allows " + std::to_string(most))));
}

TEST_P(DeviceTest, WorkgroupMemoryBeyondTheLimitIsOutOfMemory) {
  if (GetParam().starts_with("opencl")) GTEST_SKIP() << "A driver may find more than it says; it is left to judge.";
  const auto memory = device().allocate({.bytes = 64});
  const std::uint64_t words = facts().local_memory / 4 + 16;
  EXPECT_THROW(run({{kernel(R"(
override words: u32;
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
var<workgroup> tile: array<u32, words>;
@compute @workgroup_size(4) fn run(@builtin(local_invocation_index) i: u32) {
  tile[i] = i;
  workgroupBarrier();
  x[i] = tile[3u - i];
}
)",
                            {{"words", static_cast<double>(words)}}),
                     {{memory}}}}),
               OutOfMemory);
}

// ---- what belongs to whom

TEST_P(DeviceTest, MemoryAndKernelsMayOutliveTheirDevice) {
  const auto own_memory = device().allocate({.bytes = 64});
  const auto own_kernel = kernel(add_one);
  std::shared_ptr<Memory> memory;
  std::shared_ptr<Kernel> add;
  std::unique_ptr<gpu::Recording> recording;
  {
    const auto other = device_if_any(GetParam());
    ASSERT_NE(other, nullptr);
    memory = other->allocate({.bytes = 64});
    other->fill_zero(*memory, 0, 64);
    add = other->compile(module_of(add_one, other->facts()), "add");
    recording = other->record({{add, {{memory}}}});
    EXPECT_THROW(device().submit(*recording), InvalidInput) << "a recording belongs to its device";
    EXPECT_THROW(device().submit_profiled(*recording), InvalidInput);
    EXPECT_THROW(device().write(*memory, 0, {}), InvalidInput);
    EXPECT_THROW(device().record({{own_kernel, {{memory}}}}), InvalidInput);
    EXPECT_THROW(device().record({{add, {{own_memory}}}}), InvalidInput);
    other->submit(*recording);
  }
  EXPECT_EQ(recording->size(), 1u);
  EXPECT_EQ(memory->descriptor().bytes, 64u);
  EXPECT_EQ(add->name(), "add");
}

}  // namespace
}  // namespace driftwood::test

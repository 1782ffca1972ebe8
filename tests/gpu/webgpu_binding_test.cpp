// Bindings that meet in one dispatch, and the variants of kernels that they need.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/error.h"
#include "support/error_of.h"
#include "webgpu_test_device.h"

namespace driftwood::gpu::webgpu::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const int first = 0, second = 0;  // two objects
BoundRange reads(std::string_view name, std::uint64_t offset, std::uint64_t size, const void* object = &first) {
  return {.name = name, .object = object, .offset = offset, .size = size};
}
BoundRange writes(std::string_view name, std::uint64_t offset, std::uint64_t size, const void* object = &first) {
  return {.name = name, .object = object, .offset = offset, .size = size, .writes = true};
}
std::vector<BindingUse> uses_of(std::vector<BoundRange> ranges) { return resolve_uses(ranges); }
std::string error_of(std::vector<BoundRange> ranges) {
  return driftwood::test::error_of([&] { resolve_uses(ranges); });
}

TEST(WebGpuBindings, WhatOnlyReadsMayOverlap) {
  EXPECT_THAT(uses_of({reads("a", 0, 64), reads("b", 32, 64), writes("c", 0, 64, &second)}),
              ElementsAre(BindingUse{}, BindingUse{}, BindingUse{}));
}

TEST(WebGpuBindings, ReadersOfAWrittenBufferAreDeclaredWritable) {
  EXPECT_THAT(uses_of({reads("a", 0, 64), writes("b", 64, 64), reads("c", 0, 64, &second)}),
              ElementsAre(BindingUse{.read_write = true}, BindingUse{}, BindingUse{}));
}

TEST(WebGpuBindings, EqualRangesShareABinding) {
  EXPECT_THAT(uses_of({reads("a", 0, 64), reads("b", 64, 64), writes("c", 0, 64), reads("d", 0, 64)}),
              ElementsAre(BindingUse{.read_write = true}, BindingUse{.read_write = true},
                          BindingUse{.read_write = false, .alias = 0}, BindingUse{.read_write = true, .alias = 0}));
}

TEST(WebGpuBindings, RangesThatBeginTogetherShareABinding) {
  EXPECT_THAT(uses_of({reads("a", 0, 64), writes("b", 0, 32)}),
              ElementsAre(BindingUse{.read_write = true}, BindingUse{.alias = 0}));
}

TEST(WebGpuBindings, WhatWebGpuForbidsIsNamed) {
  EXPECT_THAT(error_of({reads("a", 0, 64), writes("b", 32, 64)}),
              AllOf(HasSubstr("'a' (64 bytes from 0)"), HasSubstr("'b' (64 bytes from 32)")));
  EXPECT_THAT(error_of({reads("a", 0, 64), reads("b", 32, 32), writes("c", 64, 64)}),
              AllOf(HasSubstr("'b' (32 bytes from 32)"), HasSubstr("'c' writes")));
  BoundRange measured = reads("m", 0, 32);
  measured.has_length = true;
  EXPECT_THAT(error_of({measured, writes("c", 0, 64)}), HasSubstr("overlap in part"));
  BoundRange uniform = reads("u", 0, 64);
  uniform.is_uniform = true;
  EXPECT_THAT(error_of({uniform, writes("b", 64, 64)}), AllOf(HasSubstr("'u'"), HasSubstr("'b'")));
  BoundRange texture = reads("t", 0, 0), target = writes("s", 0, 0);
  texture.is_buffer = target.is_buffer = false;
  EXPECT_THAT(error_of({texture, target}), AllOf(HasSubstr("'t'"), HasSubstr("'s'")));
}

using WebGpuBindingTest = WebGpuTest;
DRIFTWOOD_WEBGPU_SUITE(WebGpuBindingTest);

// c = a + 2 b, in each way of declaring them.
std::string sum_source(const std::vector<BindingUse>& uses) {
  constexpr std::array names = {"a", "b", "c"};
  std::string text, body = "c[id.x] = a[id.x] + 2 * b[id.x];";
  const auto name = [&](std::size_t i) { return names[uses[i].alias.value_or(i)]; };
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (uses[i].alias) continue;
    const bool is_written = i == 2 || uses[2].alias == i || uses[i].read_write;
    text += fmt::format("@group(0) @binding({}) var<storage, {}> {}: array<i32>;\n", i,
                        is_written ? "read_write" : "read", names[i]);
  }
  return text + fmt::format(
                    "@compute @workgroup_size(4) fn run(@builtin(global_invocation_id) id: vec3<u32>) {{\n"
                    "  {}[id.x] = {}[id.x] + 2 * {}[id.x];\n}}\n",
                    name(2), name(0), name(1));
}

TEST_P(WebGpuBindingTest, WorkInPlaceAndPartsOfOneBufferGiveTheSameNumbers) {
  const auto sum = device().compile_source(
      WebGpuKernel::Source(sum_source), "run", "sum",
      {{buffer_parameter("a", false), buffer_parameter("b", false), buffer_parameter("c", true)}, {}, {4, 1, 1}});
  const std::uint64_t step = device().facts().buffer_alignment;
  const std::size_t stride = step / 4;
  std::vector<std::int32_t> values(3 * stride, 0);
  for (std::size_t i = 0; i < 4; ++i) {
    values[i] = static_cast<std::int32_t>(1 + i);
    values[stride + i] = static_cast<std::int32_t>(10 * (1 + i));
  }
  const auto one = buffer_of(values);
  const auto other = device().allocate({.bytes = 16});
  const auto part = [&](int i) { return Binding{one, static_cast<std::uint64_t>(i) * step, 16}; };
  const auto result = [&](Binding a, Binding b, Binding c) {
    device().write(*one, 0, std::as_bytes(std::span(values)));
    run({{sum, {a, b, c}}});
    return values_of<std::int32_t>(*c.memory, 4, c.offset);
  };
  EXPECT_EQ(sum->variants(), 1u);
  EXPECT_THAT(result(part(0), part(1), {other}), ElementsAre(21, 42, 63, 84));
  EXPECT_EQ(sum->variants(), 1u);
  EXPECT_THAT(result(part(0), part(1), part(2)), ElementsAre(21, 42, 63, 84));
  EXPECT_THAT(result(part(0), part(1), part(0)), ElementsAre(21, 42, 63, 84));
  EXPECT_THAT(result(part(0), part(0), part(0)), ElementsAre(3, 6, 9, 12));
  EXPECT_THAT(result(part(1), part(1), part(2)), ElementsAre(30, 60, 90, 120));
  EXPECT_EQ(sum->variants(), 5u);
  EXPECT_THAT(driftwood::test::error_of([&] {
                result({one, 0, step + 16}, part(1), part(2));
              }),
              HasSubstr("overlap in part"));
  EXPECT_THAT(driftwood::test::error_of([&] { result({one, 0, 2 * step}, part(1), {other}); }), "no error");
}

}  // namespace
}  // namespace driftwood::gpu::webgpu::test

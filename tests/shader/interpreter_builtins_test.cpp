// Every built-in function by value, with the corners WGSL names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numbers>

#include "base/half.h"
#include "kernel_run.h"

namespace driftwood::shader {
namespace {

using testing::ElementsAre;
using i32 = std::int32_t;
using u32 = std::uint32_t;

struct FloatCase {
  const char* expression;
  std::vector<float> a;
  float expected;
};

class FloatBuiltins : public testing::TestWithParam<FloatCase> {};

TEST_P(FloatBuiltins, GiveTheValue) {
  const FloatCase& c = GetParam();
  const auto value = evaluate<float>("f32", c.expression, c.a);
  EXPECT_NEAR(value, c.expected, std::fabs(c.expected) * 1e-6F) << c.expression;
}

INSTANTIATE_TEST_SUITE_P(
    Interpreter, FloatBuiltins,
    testing::Values(
        FloatCase{"abs(a[0])", {-2.5F}, 2.5F}, FloatCase{"acos(a[0])", {0.5F}, 1.0471976F},
        FloatCase{"acosh(a[0])", {2.0F}, 1.316958F}, FloatCase{"asin(a[0])", {0.5F}, 0.5235988F},
        FloatCase{"asinh(a[0])", {2.0F}, 1.4436355F}, FloatCase{"atan(a[0])", {2.0F}, 1.1071488F},
        FloatCase{"atanh(a[0])", {0.5F}, 0.54930615F}, FloatCase{"atan2(a[0], a[1])", {1.0F, -1.0F}, 2.3561945F},
        FloatCase{"ceil(a[0])", {-1.5F}, -1.0F}, FloatCase{"clamp(a[0], 0.0, 3.0)", {5.0F}, 3.0F},
        FloatCase{"cos(a[0])", {1.0F}, 0.5403023F}, FloatCase{"cosh(a[0])", {1.0F}, 1.5430806F},
        FloatCase{"degrees(a[0])", {std::numbers::pi_v<float>}, 180.0F}, FloatCase{"exp(a[0])", {1.0F}, 2.7182817F},
        FloatCase{"exp2(a[0])", {-3.0F}, 0.125F}, FloatCase{"floor(a[0])", {-1.5F}, -2.0F},
        FloatCase{"fma(a[0], a[1], a[2])", {1.0F + 0x1p-12F, 1.0F - 0x1p-12F, -1.0F}, -0x1p-24F},
        FloatCase{"fract(a[0])", {-1.25F}, 0.75F}, FloatCase{"inverseSqrt(a[0])", {16.0F}, 0.25F},
        FloatCase{"log(a[0])", {10.0F}, 2.3025851F}, FloatCase{"log2(a[0])", {8.0F}, 3.0F},
        FloatCase{"max(a[0], a[1])", {1.0F, 2.0F}, 2.0F}, FloatCase{"min(a[0], a[1])", {1.0F, 2.0F}, 1.0F},
        FloatCase{"mix(a[0], a[1], 0.25)", {4.0F, 8.0F}, 5.0F}, FloatCase{"pow(a[0], a[1])", {2.0F, 0.5F}, 1.4142135F},
        FloatCase{"quantizeToF16(a[0])", {0.1F}, 0.099975586F},
        FloatCase{"radians(a[0])", {180.0F}, std::numbers::pi_v<float>}, FloatCase{"round(a[0])", {2.5F}, 2.0F},
        FloatCase{"saturate(a[0])", {1.5F}, 1.0F}, FloatCase{"sign(a[0])", {-3.0F}, -1.0F},
        FloatCase{"sin(a[0])", {1.0F}, 0.84147098F}, FloatCase{"sinh(a[0])", {1.0F}, 1.1752012F},
        FloatCase{"smoothstep(a[0], a[1], 1.5)", {1.0F, 3.0F}, 0.15625F}, FloatCase{"sqrt(a[0])", {2.0F}, 1.4142135F},
        FloatCase{"step(a[0], a[1])", {1.0F, 1.0F}, 1.0F}, FloatCase{"tan(a[0])", {1.0F}, 1.5574077F},
        FloatCase{"tanh(a[0])", {1.0F}, 0.76159416F}, FloatCase{"trunc(a[0])", {-1.7F}, -1.0F},
        FloatCase{"ldexp(a[0], 3)", {0.75F}, 6.0F},
        FloatCase{"dot(vec3f(a[0], a[1], 3.0), vec3f(4.0, 5.0, a[1]))", {1.0F, 2.0F}, 20.0F},
        FloatCase{"length(vec2f(a[0], a[1]))", {3.0F, 4.0F}, 5.0F}, FloatCase{"length(a[0])", {-3.0F}, 3.0F},
        FloatCase{"distance(vec2f(a[0], a[1]), vec2f(0.0, 1.0))", {3.0F, 5.0F}, 5.0F},
        FloatCase{"normalize(vec2f(a[0], a[1])).y", {3.0F, 4.0F}, 0.8F},
        FloatCase{"cross(vec3f(a[0], a[1], 0.0), vec3f(0.0, 1.0, a[1])).y", {1.0F, 2.0F}, -2.0F},
        FloatCase{"select(1.0, 2.0, all(vec2f(a[0], a[1]) > vec2f(0.0)))", {1.0F, -1.0F}, 1.0F},
        FloatCase{"select(1.0, 2.0, any(vec2f(a[0], a[1]) > vec2f(0.0)))", {1.0F, -1.0F}, 2.0F},
        FloatCase{
            "select(vec2f(1.0, 2.0), vec2f(3.0, 4.0), vec2<bool>(a[0] > 0.0, a[1] > 0.0)).y", {1.0F, -1.0F}, 2.0F},
        FloatCase{"mix(vec2f(a[0]), vec2f(a[1]), vec2f(0.0, 0.5)).y", {2.0F, 4.0F}, 3.0F}));

struct WordCase {
  const char* expression;
  std::vector<u32> a;
  u32 expected;
};

TEST(InterpreterBuiltins, UnsignedIntegers) {
  const std::vector<WordCase> cases = {
      {"abs(a[0])", {0x80000000U}, 0x80000000U},
      {"max(a[0], a[1])", {0x80000000U, 1}, 0x80000000U},
      {"min(a[0], a[1])", {0x80000000U, 1}, 1},
      {"clamp(a[0], 2u, 6u)", {9}, 6},
      {"countLeadingZeros(a[0])", {0x00010000U}, 15},
      {"countLeadingZeros(a[0])", {0}, 32},
      {"countTrailingZeros(a[0])", {0x00010000U}, 16},
      {"countTrailingZeros(a[0])", {0}, 32},
      {"countOneBits(a[0])", {0xF0F0F0F1U}, 17},
      {"firstLeadingBit(a[0])", {0x00010001U}, 16},
      {"firstLeadingBit(a[0])", {0}, 0xFFFFFFFFU},
      {"firstTrailingBit(a[0])", {0x00010000U}, 16},
      {"firstTrailingBit(a[0])", {0}, 0xFFFFFFFFU},
      {"reverseBits(a[0])", {0x00000005U}, 0xA0000000U},
      {"extractBits(a[0], 4u, 8u)", {0x12345678U}, 0x67U},
      {"extractBits(a[0], 28u, 32u)", {0x92345678U}, 0x9U},
      {"extractBits(a[0], 40u, 3u)", {0xFFFFFFFFU}, 0},
      {"extractBits(a[0], 0u, 32u)", {0x92345678U}, 0x92345678U},
      {"insertBits(a[0], a[1], 4u, 8u)", {0x12345678U, 0xABU}, 0x12345AB8U},
      {"insertBits(a[0], a[1], 0u, 32u)", {1, 0xABCDU}, 0xABCDU},
      {"insertBits(a[0], a[1], 30u, 0u)", {1, 0xABCDU}, 1},
      {"dot(vec2u(a[0], a[1]), vec2u(3u, 4u))", {0x80000000U, 2}, 0x80000008U},
      {"pack2x16float(vec2f(1.0, f32(a[0])))", {2}, 0x40003C00U},
      {"u32(unpack2x16float(a[0]).y * 10.0)", {0x3C004400U}, 10},
      {"pack4x8snorm(vec4f(-1.0, 0.0, 0.5, f32(a[0])))", {2}, 0x7F400081U},
      {"pack4x8unorm(vec4f(-1.0, 0.0, 0.5, f32(a[0])))", {2}, 0xFF800000U},
      {"u32(unpack4x8unorm(a[0]).w * 255.0)", {0xFF000000U}, 255},
      {"u32(-unpack4x8snorm(a[0]).x)", {0x80U}, 1},
      {"pack4xI8(vec4i(-1, 2, -3, i32(a[0])))", {300}, 0x2CFD02FFU},
      {"pack4xU8(vec4u(1u, 2u, 3u, a[0]))", {300}, 0x2C030201U},
      {"pack4xI8Clamp(vec4i(-1, 2, -300, i32(a[0])))", {300}, 0x7F8002FFU},
      {"pack4xU8Clamp(vec4u(1u, 2u, 3u, a[0]))", {300}, 0xFF030201U},
      {"bitcast<u32>(unpack4xI8(a[0]).y)", {0xFF80U}, 0xFFFFFFFFU},
      {"unpack4xU8(a[0]).y", {0xFF80U}, 0xFFU},
      {"bitcast<u32>(dot4I8Packed(a[0], a[1]))", {0x80FF0102U, 0x80010203U}, 16384U - 1 + 2 + 6},
      {"bitcast<u32>(dot4U8I8Packed(a[0], a[1]))", {0x80FF0102U, 0x80010203U}, 0U - 16384 + 255 + 2 + 6},
      {"dot4U8Packed(a[0], a[1])", {0xFFFF0102U, 0xFF010203U}, 65025U + 255 + 2 + 6},
  };
  for (const WordCase& c : cases) EXPECT_EQ(evaluate<u32>("u32", c.expression, c.a), c.expected) << c.expression;
}

TEST(InterpreterBuiltins, SignedIntegers) {
  struct Case {
    const char* expression;
    std::vector<i32> a;
    i32 expected;
  };
  const std::vector<Case> cases = {
      {"abs(a[0])", {-5}, 5},
      {"abs(a[0])", {INT32_MIN}, INT32_MIN},
      {"max(a[0], a[1])", {-5, 3}, 3},
      {"min(a[0], a[1])", {-5, 3}, -5},
      {"clamp(a[0], -2, 6)", {-9}, -2},
      {"sign(a[0])", {-9}, -1},
      {"firstLeadingBit(a[0])", {-1}, -1},
      {"firstLeadingBit(a[0])", {-3}, 1},
      {"extractBits(a[0], 4u, 4u)", {0xF0}, -1},
      {"dot(vec2i(a[0], a[1]), vec2i(3, -4))", {2, 2}, -2},
  };
  for (const Case& c : cases) EXPECT_EQ(evaluate<i32>("i32", c.expression, c.a), c.expected) << c.expression;
}

TEST(InterpreterBuiltins, HalvesRoundOnce) {
  KernelRun run(R"(
enable f16;
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> r: array<f32>;
@compute @workgroup_size(1) fn main() {
  let v = vec2<f16>(vec2f(a[0], a[1]));
  r[0] = f32(exp(v.x));
  r[1] = f32(dot(v, v));
  r[2] = f32(length(v));
  r[3] = f32(fma(v.x, v.y, v.x));
  r[4] = f32(max(v.x, v.y));
})");
  run.bind(std::vector<float>{0.1F, 3.0F}).bind(std::vector<float>(5)).run();
  const auto h = [](float x) { return half_to_float(float_to_half(x)); };
  const float x = h(0.1F);
  EXPECT_THAT(run.values<float>(1),
              ElementsAre(h(std::exp(x)), h(h(x * x) + 9.0F), h(std::sqrt(x * x + 9.0F)), h(x * 3.0F + x), 3.0F));
}

// ---- subgroups of four

std::vector<u32> per_subgroup(const std::string& expression, const std::string& guard = "true") {
  KernelRun run(
      "enable subgroups;\n@group(0) @binding(0) var<storage, read_write> r: array<u32>;\n"
      "@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32,\n"
      "  @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_size) size: u32) {\n"
      "  if (" +
          guard + ") { r[i] = " + expression + "; }\n}\n",
      {.subgroup_size = 4});
  return run.bind(std::vector<u32>(8, 99)).run().values<u32>(0);
}

TEST(InterpreterSubgroups, Reduce) {
  EXPECT_THAT(per_subgroup("subgroupAdd(i)"), ElementsAre(6, 6, 6, 6, 22, 22, 22, 22));
  EXPECT_THAT(per_subgroup("subgroupMul(i + 1u)"), ElementsAre(24, 24, 24, 24, 1680, 1680, 1680, 1680));
  EXPECT_THAT(per_subgroup("subgroupMax(i)"), ElementsAre(3, 3, 3, 3, 7, 7, 7, 7));
  EXPECT_THAT(per_subgroup("subgroupMin(i)"), ElementsAre(0, 0, 0, 0, 4, 4, 4, 4));
  EXPECT_THAT(per_subgroup("u32(subgroupMin(i32(i) - 2) + 10)"), ElementsAre(8, 8, 8, 8, 12, 12, 12, 12));
  EXPECT_THAT(per_subgroup("u32(subgroupAdd(f32(i)) * 2.0)"), ElementsAre(12, 12, 12, 12, 44, 44, 44, 44));
  EXPECT_THAT(per_subgroup("subgroupAdd(vec2u(i, 1u)).y"), ElementsAre(4, 4, 4, 4, 4, 4, 4, 4));
  EXPECT_THAT(per_subgroup("u32(subgroupAll(i < 6u))"), ElementsAre(1, 1, 1, 1, 0, 0, 0, 0));
  EXPECT_THAT(per_subgroup("u32(subgroupAny(i > 6u))"), ElementsAre(0, 0, 0, 0, 1, 1, 1, 1));
}

TEST(InterpreterSubgroups, OnlyActiveInvocationsTakePart) {
  EXPECT_THAT(per_subgroup("subgroupAdd(i)", "(i & 1u) == 1u"), ElementsAre(99, 4, 99, 4, 99, 12, 99, 12));
  EXPECT_THAT(per_subgroup("u32(subgroupElect())", "i > 1u"), ElementsAre(99, 99, 1, 0, 1, 0, 0, 0));
  EXPECT_THAT(per_subgroup("subgroupBroadcastFirst(i * 10u)", "i > 1u"), ElementsAre(99, 99, 20, 20, 40, 40, 40, 40));
}

TEST(InterpreterSubgroups, ScansAndShuffles) {
  EXPECT_THAT(per_subgroup("subgroupExclusiveAdd(i + 1u)"), ElementsAre(0, 1, 3, 6, 0, 5, 11, 18));
  EXPECT_THAT(per_subgroup("subgroupInclusiveAdd(i + 1u)"), ElementsAre(1, 3, 6, 10, 5, 11, 18, 26));
  EXPECT_THAT(per_subgroup("subgroupBroadcast(i, 2u)"), ElementsAre(2, 2, 2, 2, 6, 6, 6, 6));
  EXPECT_THAT(per_subgroup("subgroupShuffle(i, 3u - lane)"), ElementsAre(3, 2, 1, 0, 7, 6, 5, 4));
  EXPECT_THAT(per_subgroup("subgroupShuffleXor(i, 1u)"), ElementsAre(1, 0, 3, 2, 5, 4, 7, 6));
  EXPECT_THAT(per_subgroup("subgroupShuffleUp(i, 1u)"), ElementsAre(0, 0, 1, 2, 4, 4, 5, 6));
  EXPECT_THAT(per_subgroup("subgroupShuffleDown(i, 2u)"), ElementsAre(2, 3, 2, 3, 6, 7, 6, 7));
  EXPECT_THAT(per_subgroup("lane + 10u * size"), ElementsAre(40, 41, 42, 43, 40, 41, 42, 43));
}

}  // namespace
}  // namespace driftwood::shader

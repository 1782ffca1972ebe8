// The language's meaning, by value: operators, control flow by lane, memory layout.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/half.h"
#include "kernel_run.h"

namespace driftwood::shader {
namespace {

using testing::ElementsAre;

using i32 = std::int32_t;
using u32 = std::uint32_t;

constexpr i32 lowest = std::numeric_limits<i32>::min();
constexpr i32 highest = std::numeric_limits<i32>::max();

// ---- operators

struct IntCase {
  const char* expression;
  std::vector<i32> a;
  i32 expected;
};

TEST(InterpreterOperators, SignedWrapAndNeverTrap) {
  const std::vector<IntCase> cases = {
      {"a[0] + a[1]", {highest, 1}, lowest},
      {"a[0] - a[1]", {lowest, 1}, highest},
      {"a[0] * a[1]", {65536, 65536}, 0},
      {"a[0] / a[1]", {7, -2}, -3},
      {"a[0] / a[1]", {7, 0}, 7},
      {"a[0] / a[1]", {lowest, -1}, lowest},
      {"a[0] % a[1]", {-7, 3}, -1},
      {"a[0] % a[1]", {7, 0}, 0},
      {"a[0] % a[1]", {lowest, -1}, 0},
      {"a[0] >> u32(a[1])", {-8, 1}, -4},
      {"a[0] >> u32(a[1])", {-8, 33}, -4},
      {"a[0] << u32(a[1])", {3, 34}, 12},
      {"-a[0]", {lowest}, lowest},
      {"~a[0]", {5}, -6},
      {"a[0] & a[1]", {12, 10}, 8},
      {"a[0] | a[1]", {12, 10}, 14},
      {"a[0] ^ a[1]", {12, 10}, 6},
      {"select(1, 2, a[0] < a[1])", {-1, 0}, 2},
      {"select(1, 2, a[0] >= a[1])", {-1, 0}, 1},
      {"i32(a[0] == a[1]) + 2 * i32(a[0] != a[1])", {4, 4}, 1},
      {"select(0, 1, !(a[0] > a[1]))", {4, 4}, 1},
      {"select(0, 1, (a[0] > 1) & (a[1] > 1))", {4, 0}, 0},
      {"select(0, 1, (a[0] > 1) | (a[1] > 1))", {4, 0}, 1},
  };
  for (const IntCase& c : cases) EXPECT_EQ(evaluate<i32>("i32", c.expression, c.a), c.expected) << c.expression;
}

TEST(InterpreterOperators, Unsigned) {
  EXPECT_EQ(evaluate<u32>("u32", "a[0] - a[1]", {0, 1}), 0xFFFFFFFFU);
  EXPECT_EQ(evaluate<u32>("u32", "a[0] / a[1]", {0xFFFFFFFFU, 2}), 0x7FFFFFFFU);
  EXPECT_EQ(evaluate<u32>("u32", "a[0] / a[1]", {9, 0}), 9U);
  EXPECT_EQ(evaluate<u32>("u32", "a[0] % a[1]", {9, 0}), 0U);
  EXPECT_EQ(evaluate<u32>("u32", "a[0] >> a[1]", {0x80000000U, 31}), 1U);
  EXPECT_EQ(evaluate<u32>("u32", "u32(a[0] > a[1])", {0x80000000U, 1}), 1U);
}

TEST(InterpreterOperators, FloatsAndConversions) {
  EXPECT_EQ(evaluate<float>("f32", "a[0] % a[1]", {-7.5F, 2.0F}), -1.5F);
  EXPECT_EQ(evaluate<float>("f32", "a[0] / a[1]", {1.0F, 0.0F}), INFINITY);
  const auto to_int = [](float x) { return std::bit_cast<i32>(evaluate<float>("f32", "i32(a[0])", {x}, "i32")); };
  const auto to_unsigned = [](float x) { return std::bit_cast<u32>(evaluate<float>("f32", "u32(a[0])", {x}, "u32")); };
  EXPECT_EQ(to_int(-2.9F), -2);
  EXPECT_EQ(to_int(3e9F), highest);
  EXPECT_EQ(to_int(-INFINITY), lowest);
  EXPECT_EQ(to_int(NAN), 0);
  EXPECT_EQ(to_unsigned(-1.0F), 0U);
  EXPECT_EQ(to_unsigned(5e9F), 0xFFFFFFFFU);
  EXPECT_EQ(to_unsigned(4294967040.0F), 4294967040U);
  EXPECT_EQ(evaluate<i32>("i32", "bitcast<f32>(a[0])", {16777217}, "f32"), 16777217);  // the same bits
  EXPECT_EQ(std::bit_cast<float>(evaluate<i32>("i32", "f32(a[0])", {16777217}, "f32")), 16777216.0F);
  EXPECT_EQ(std::bit_cast<float>(evaluate<u32>("u32", "f32(a[0])", {0xFFFFFFFFU}, "f32")), 4294967296.0F);
}

TEST(InterpreterHalves, EveryOperationRounds) {
  const std::string head =
      "enable f16;\n@group(0) @binding(0) var<storage, read> a: array<f32>;\n"
      "@group(0) @binding(1) var<storage, read_write> r: array<f32>;\n";
  KernelRun run(head + R"(
@compute @workgroup_size(1) fn main() {
  let x = f16(a[0]); let y = f16(a[1]); let z = f16(a[2]);
  r[0] = f32(x + y);
  r[1] = f32(x + y - x);
  r[2] = f32(y * z);
  r[3] = f32(fma(x, y, z));
  r[4] = f32(f16(70000.0 * a[1]));
  r[5] = f32(f16(a[3]));
  r[6] = f32(x * x);
})");
  run.bind(std::vector<float>{2048.0F, 1.0F, 0.1F, 6e-8F}).bind(std::vector<float>(7)).run();
  const float tenth = half_to_float(float_to_half(0.1F));
  EXPECT_THAT(run.values<float>(1), ElementsAre(2048.0F, 0.0F, tenth, 2048.0F, INFINITY, 5.9604645e-8F, INFINITY));
}

TEST(InterpreterHalves, RoundingMatchesTheConverter) {
  std::vector<float> values;
  for (u32 bits = 0x33000000U; bits < 0x47900000U; bits += 0x1FFF3U) values.push_back(std::bit_cast<float>(bits));
  for (const float x : {0.0F, -0.0F, 65504.0F, 65519.996F, 65520.0F, 2.98e-8F, 2.9802322e-8F, 8.9406967e-8F, 6.097e-5F,
                        -6.1035156e-5F, 1e-30F, 3e38F, INFINITY}) {
    values.push_back(x);
  }
  KernelRun run(R"(
enable f16;
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> r: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < arrayLength(&a)) { r[id.x] = f32(f16(a[id.x])); }
})");
  run.bind(values).bind(std::vector<float>(values.size())).run(static_cast<u32>(values.size() / 64 + 1));
  const auto rounded = run.values<float>(1);
  for (std::size_t k = 0; k < values.size(); ++k) {
    EXPECT_EQ(std::bit_cast<u32>(rounded[k]), std::bit_cast<u32>(half_to_float(float_to_half(values[k])))) << values[k];
  }
}

TEST(InterpreterHalves, StorageHoldsTwoToAWord) {
  KernelRun run(R"(
enable f16;
struct S { a: f16, b: f16, v: vec3<f16>, w: f32 }
@group(0) @binding(0) var<storage, read> s: S;
@group(0) @binding(1) var<storage, read_write> r: array<f16>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
  r[i] = array<f16, 4>(s.a, s.b, s.v.z, f16(s.w))[i];
})");
  const auto h = [](float x) { return float_to_half(x); };
  const std::vector<std::uint16_t> s = {h(1), h(2), 0, 0, h(3), h(4), h(5), 0, 0, 0x4100, 0, 0};  // w = 8.0f
  run.bind(s).bind_unwritten(8).run();
  EXPECT_THAT(run.values<std::uint16_t>(1), ElementsAre(h(1), h(2), h(5), h(8)));
}

TEST(InterpreterHalves, BitcastsHalves) {
  EXPECT_EQ(evaluate<u32>("u32", "bitcast<u32>(bitcast<vec2<f16>>(a[0]).yx)", {0x3C004000U}), 0x40003C00U);
}

// ---- control flow, each lane on its own way

std::vector<u32> per_lane(const std::string& body, u32 lanes = 8) {
  KernelRun run(
      "@group(0) @binding(0) var<storage, read_write> r: array<u32>;\n"
      "@compute @workgroup_size(" +
      std::to_string(lanes) + ") fn main(@builtin(local_invocation_index) i: u32) {\n" + body + "\n}\n");
  return run.bind(std::vector<u32>(lanes, 999)).run().values<u32>(0);
}

TEST(InterpreterControl, IfElse) {
  EXPECT_THAT(per_lane("if (i < 3u) { r[i] = 1u; } else if (i == 5u) { r[i] = 2u; } else { r[i] = 3u; }"),
              ElementsAre(1, 1, 1, 3, 3, 2, 3, 3));
}

TEST(InterpreterControl, NestedLoopsWithBreakAndContinue) {
  std::vector<u32> expected;
  for (u32 i = 0; i < 8; ++i) {
    u32 sum = 0;
    for (u32 a = 0; a < i; ++a) {
      if (a == 2) continue;
      for (u32 b = 0;; ++b) {
        if (b % 3 == i % 3) continue;
        if (b > a + i) break;
        sum += a * 10 + b;
        if (sum > 500) break;
      }
      if (sum > 900) break;
    }
    expected.push_back(sum);
  }
  EXPECT_EQ(per_lane(R"(
  var sum = 0u;
  for (var a = 0u; a < i; a++) {
    if (a == 2u) { continue; }
    for (var b = 0u; ; b++) {
      if (b % 3u == i % 3u) { continue; }
      if (b > a + i) { break; }
      sum += a * 10u + b;
      if (sum > 500u) { break; }
    }
    if (sum > 900u) { break; }
  }
  r[i] = sum;)"),
            expected);
}

TEST(InterpreterControl, EarlyReturnOfTheEntryPoint) {
  EXPECT_THAT(per_lane("r[i] = 1u; for (var k = 0u; k < 4u; k++) { if (k == i) { return; } r[i] += 10u; } r[i] = 7u;"),
              ElementsAre(1, 11, 21, 31, 7, 7, 7, 7));
}

TEST(InterpreterControl, LoopWithContinuingAndBreakIf) {
  EXPECT_THAT(per_lane(R"(
  var n = 0u; var k = 0u;
  loop {
    if (k == 1u) { continue; }
    n += 100u;
    if (i == 7u) { break; }
    continuing { k++; n++; break if k > i; }
  }
  r[i] = n;)"),
              ElementsAre(101, 102, 203, 304, 405, 506, 607, 100));
}

TEST(InterpreterControl, WhileStopsForEachLane) {
  EXPECT_THAT(per_lane("var x = i; var n = 0u; while (x != 0u) { x = x >> 1u; n++; } r[i] = n;"),
              ElementsAre(0, 1, 2, 2, 3, 3, 3, 3));
}

TEST(InterpreterControl, Switch) {
  EXPECT_THAT(per_lane(R"(
  var n = 0u;
  for (var k = 0u; k < 2u; k++) {
    switch (i) {
      case 0u, 3u: { n += 1u; }
      case 1u: { if (k == 0u) { break; } n += 20u; }
      case 5u: { continue; }
      default: { n += 300u; }
    }
    n += 1000u;
  }
  r[i] = n;)"),
              ElementsAre(2002, 2020, 2600, 2002, 2600, 0, 2600, 2600));
}

TEST(InterpreterControl, ShortCircuitGuardsTheRightSide) {
  KernelRun run(R"(
@group(0) @binding(0) var<storage, read_write> r: array<u32>;
@group(0) @binding(1) var<storage, read> a: array<u32>;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
  r[i] = u32(i < 3u && a[i] > 1u) + 2u * u32(i >= 3u || a[i] == 1u);
})");
  run.bind(std::vector<u32>(8)).bind(std::vector<u32>{1, 2, 3}).run();
  EXPECT_THAT(run.values<u32>(0), ElementsAre(2, 1, 1, 2, 2, 2, 2, 2));
}

TEST(InterpreterFunctions, ReturnsPerLaneAndPointers) {
  KernelRun run(R"(
@group(0) @binding(0) var<storage, read_write> r: array<u32>;
var<private> calls = 3u;
fn collatz(start: u32) -> u32 {
  var n = start;
  for (var k = 0u; k < 100u; k++) {
    if (n <= 1u) { return k; }
    if (n % 2u == 0u) { n /= 2u; } else { n = 3u * n + 1u; }
  }
  return 100u;
}
fn bump(p: ptr<function, u32>, by: u32) -> u32 { *p += by; calls++; return *p; }
fn swap(p: ptr<function, array<u32, 2>>) { let t = (*p)[0]; (*p)[0] = (*p)[1]; (*p)[1] = t; }
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
  var x = i;
  let before = x + bump(&x, 10u) * 100u + x * 10000u;
  var pair = array<u32, 2>(collatz(i), before);
  swap(&pair);
  r[i * 3u] = pair[0];
  r[i * 3u + 1u] = pair[1];
  r[i * 3u + 2u] = calls;
})");
  const auto r = run.bind(std::vector<u32>(24)).run().values<u32>(0);
  const std::vector<u32> steps = {0, 0, 1, 7, 2, 5, 8, 16};
  for (u32 i = 0; i < 8; ++i) {
    EXPECT_EQ(r[3 * i], i + (i + 10) * 100 + (i + 10) * 10000);
    EXPECT_EQ(r[3 * i + 1], steps[i]);
    EXPECT_EQ(r[3 * i + 2], 4U);
  }
}

// ---- values and memory

TEST(InterpreterValues, SwizzlesVectorsAndDynamicComponents) {
  EXPECT_THAT(per_lane(R"(
  var v = vec4u(10u, 20u, 30u, 40u);
  v = v.wzyx;
  v[i % 4u] += i;
  v.y += 100u;
  let w = vec4u(v.xy, v.zw * 2u);
  r[i] = w[i % 4u] + v[3] * 1000u;)"),
              ElementsAre(10040, 10131, 10044, 13026, 10044, 10135, 10052, 17034));
}

TEST(InterpreterValues, ArraysAndStructsByValue) {
  EXPECT_THAT(per_lane(R"(
  var a = array<vec2u, 3>(vec2u(1u, 2u), vec2u(3u, 4u), vec2u(5u, 6u));
  let b = a;
  a[i % 3u].y = 50u + i;
  a[(i + 1u) % 3u] = vec2u(7u);
  r[i] = a[0].y * 10000u + a[1].y * 100u + a[2].y + b[i % 3u].y * 1000000u;)",
                       3),
              ElementsAre(2500706, 4025107, 6070452));
}

TEST(InterpreterMemory, FollowsTheLayoutOfWgsl) {
  KernelRun run(R"(
struct Inner { a: f32, v: vec3f, b: f32 }
struct Params { count: u32, inner: array<Inner, 2>, tail: vec2u }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read_write> r: array<f32>;
struct Out { n: u32, items: array<Inner> }
@group(0) @binding(2) var<storage, read_write> o: Out;
@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) i: u32) {
  let inner = p.inner[i];
  r[i] = inner.a + inner.v.z + inner.b + f32(p.tail.y) + f32(p.count);
  o.items[i] = inner;
  if (i == 0u) { o.n = arrayLength(&o.items); }
})");
  // count at 0; inner at 16 with stride 48 (a 0, v 16, b 28, size 32): WGSL gives Inner size 32, alignment 16.
  std::vector<float> p(24, 0.0F);
  p[0] = std::bit_cast<float>(u32{2});
  for (std::size_t k = 0; k < 2; ++k) {
    const std::size_t at = 4 + 8 * k;
    p[at] = 1.0F + static_cast<float>(k);
    p[at + 6] = 10.0F;
    p[at + 7] = 100.0F;
  }
  p[21] = std::bit_cast<float>(u32{7});
  run.bind(p).bind(std::vector<float>(2)).bind(std::vector<float>(4 + 8 * 2, -1.0F)).run();
  EXPECT_THAT(run.values<float>(1), ElementsAre(120.0F, 121.0F));
  const auto out = run.values<float>(2);
  EXPECT_EQ(std::bit_cast<u32>(out[0]), 2U);
  EXPECT_EQ(out[1], -1.0F);  // padding stays
  EXPECT_EQ(out[4], 1.0F);
  EXPECT_EQ(out[12], 2.0F);
  EXPECT_EQ(out[5], -1.0F);
  EXPECT_EQ(out[11], 100.0F);
}

TEST(InterpreterMemory, BindsPartsOfMemory) {
  KernelRun run(R"(
@group(0) @binding(0) var<storage, read_write> all: array<u32>;
@group(0) @binding(1) var<storage, read> part: array<u32>;
@compute @workgroup_size(1) fn main() { all[0] = arrayLength(&part) * 100u + part[1]; })");
  run.bind(std::vector<u32>{0, 0, 0, 0, 41, 42, 43, 44}).bind_part(0, 16, 12).run();
  EXPECT_EQ(run.values<u32>(0)[0], 342U);
}

TEST(InterpreterGrid, BuiltinInputs) {
  KernelRun run(R"(
@group(0) @binding(0) var<storage, read_write> r: array<vec4u>;
@compute @workgroup_size(2, 3, 2) fn main(@builtin(local_invocation_id) local: vec3u,
    @builtin(local_invocation_index) index: u32, @builtin(global_invocation_id) global: vec3u,
    @builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let g = (group.z * groups.y + group.y) * groups.x + group.x;
  r[g * 12u + index] = vec4u(local.x + 10u * local.y + 100u * local.z, global.x + 10u * global.y + 100u * global.z,
                             group.x + 10u * group.y + 100u * group.z, groups.x + 10u * groups.y + 100u * groups.z);
})");
  run.bind_unwritten(2 * 3 * 2 * 12 * 16).run(2, 3, 2);
  const auto r = run.values<u32>(0);
  EXPECT_THAT(std::vector<u32>(r.begin() + 4 * 3, r.begin() + 4 * 4), ElementsAre(11, 11, 0, 232));
  EXPECT_THAT(std::vector<u32>(r.end() - 4, r.end()), ElementsAre(121, 383, 121, 232));
}

TEST(InterpreterWorkgroups, ReductionWithBarriers) {
  KernelRun run(R"(
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
var<workgroup> sums: array<f32, 64>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) g: vec3u) {
  sums[i] = x[g.x * 64u + i];
  workgroupBarrier();
  for (var step = 32u; step > 0u; step >>= 1u) {
    if (i < step) { sums[i] += sums[i + step]; }
    workgroupBarrier();
  }
  if (i == 0u) { y[g.x] = workgroupUniformLoadFallback(); }
}
fn workgroupUniformLoadFallback() -> f32 { return sums[0]; }
)");
  std::vector<float> x(192);
  std::iota(x.begin(), x.end(), 1.0F);
  run.bind(x).bind_unwritten(12).run(3);
  EXPECT_THAT(run.values<float>(1), ElementsAre(2080.0F, 6176.0F, 10272.0F));
}

TEST(InterpreterWorkgroups, UniformLoad) {
  EXPECT_THAT(per_lane("if (i == 5u) { shared_value = 42u; } r[i] = workgroupUniformLoad(&shared_value) + i;\n}\n"
                       "var<workgroup> shared_value: u32;\nfn unused() {"),
              ElementsAre(42, 43, 44, 45, 46, 47, 48, 49));
}

TEST(InterpreterAtomics, ChangeMemoryInOrderOfLanes) {
  KernelRun run(R"(
@group(0) @binding(0) var<storage, read_write> r: array<u32>;
@group(0) @binding(1) var<storage, read_write> a: array<atomic<i32>, 8>;
var<workgroup> count: atomic<u32>;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
  let n = i32(i);
  r[i] = atomicAdd(&count, i);
  atomicAdd(&a[0], n); atomicSub(&a[1], n); atomicMax(&a[2], n - 3); atomicMin(&a[3], 3 - n);
  atomicAnd(&a[4], n + 8); atomicOr(&a[5], 1 << i); atomicXor(&a[6], n);
  if (i == 7u) { atomicStore(&a[7], 70); }
  if (i == 0u) { r[8] = u32(atomicExchange(&a[7], 71)); }
  workgroupBarrier();
  if (i == 0u) { r[9] = atomicLoad(&count); }
})");
  run.bind(std::vector<u32>(10)).bind(std::vector<i32>{5, 5, lowest, highest, -1, 0, 0, 6}).run();
  EXPECT_THAT(run.values<u32>(0), ElementsAre(0, 0, 1, 3, 6, 10, 15, 21, 70, 28));
  EXPECT_THAT(run.values<i32>(1), ElementsAre(33, -23, 4, -4, 8, 255, 0, 71));
}

}  // namespace
}  // namespace driftwood::shader

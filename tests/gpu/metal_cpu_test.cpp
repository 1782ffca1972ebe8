// Metal on the CPU, by kernels written by hand: what the header and the threadgroups must do for the results of emitted
// kernels to mean something.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "base/error.h"
#include "base/half.h"
#include "support/error_of.h"
#include "support/metal_cpu/clang.h"
#include "support/metal_cpu/program.h"
#include "support/metal_cpu/threadgroups.h"

namespace driftwood::test {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using u32 = std::uint32_t;

class MetalCpu : public testing::Test {
 protected:
  void SetUp() override {
    if (!Clang::find()) GTEST_SKIP() << Clang::why_not();
  }

  struct Launch {
    std::vector<void*> buffers = {};
    std::vector<const metal_cpu::Texture*> textures = {};
    std::array<u32, 3> extent = {1, 1, 1};
    std::array<u32, 3> groups = {1, 1, 1};
  };

  // Runs the kernel `k` of `text`, which follows the lines that all kernels begin with.
  void run(const std::string& text, const Launch& launch) {
    MetalCpuProgram program("#include <metal_stdlib>\nusing namespace metal;\n" + text, "k");
    program.set_runtime(threadgroups_.runtime());
    threadgroups_.run(program.program(), {launch.buffers.data(), launch.textures.data()}, launch.extent, launch.groups,
                      "The kernel 'k'");
  }

  std::string fault_of(const std::string& text, const Launch& launch) {
    return error_of([&] { run(text, launch); });
  }

  Threadgroups threadgroups_;
};

TEST_F(MetalCpu, GivesInvocationsTheirPlaces) {
  std::vector<u32> out(2 * 12 * 4, 0);
  run(R"(
kernel void k(device uint* out [[buffer(0)]], uint3 local [[thread_position_in_threadgroup]],
              uint index [[thread_index_in_threadgroup]], uint3 group [[threadgroup_position_in_grid]],
              uint3 at [[thread_position_in_grid]], uint3 groups [[threadgroups_per_grid]]) {
  uint place = (group.y * 12 + index) * 4;
  out[place] = local.x + 10 * local.y + 100 * local.z;
  out[place + 1] = at.x + 10 * at.y + 100 * at.z;
  out[place + 2] = groups.y;
  out[place + 3] += 1;
})",
      {.buffers = {out.data()}, .extent = {2, 3, 2}, .groups = {1, 2, 1}});
  EXPECT_THAT(std::vector(out.begin() + 4 * 11, out.begin() + 4 * 12), ElementsAre(121, 121, 2, 1));
  EXPECT_THAT(std::vector(out.begin() + 4 * 23, out.end()), ElementsAre(121, 151, 2, 1));
}

TEST_F(MetalCpu, VectorsHaveMetalsConstructorsSwizzlesAndRounding) {
  std::vector<float> out(20);
  std::vector<u32> bits(4);
  run(R"(
kernel void k(device float4* out [[buffer(0)]], device uint* bits [[buffer(1)]]) {
  float2 a(1.0f, 2.0f);
  float4 v = float4(a, 3.0f, 4.0f);
  out[0] = v.wzyx + float4(a.yx, a);
  v.xw = float2(9.0f, 8.0f);
  v.y += 0.5f;
  v[2] = -v[2];
  out[1] = v;
  bool4 mask = v > float4(2.5f);
  out[2] = select(float4(0.0f), v, mask) + float4(mask);
  int4 i = int4(-7, 7, -8, 8) / 2 + int4(!mask);
  out[3] = float4(i);
  half h = half(1.0f) + half(0.0004f);          // less than half a step of 1
  half4 steps = half4(2048.0h) + half4(1.0h);   // a tie, to even
  out[4] = float4(float(h), float(steps.x), float(2048.0h * 1.5h), rint(2.5f) + round(2.5f));
  bits[0] = as_type<uint>(half2(1.0h, -2.0h));
  bits[1] = pack_float_to_snorm4x8(float4(1.0f, -1.0f, 0.5f, -2.0f));
  bits[2] = extract_bits(0xabcd1234u, 8u, 12u) + uint(extract_bits(int(0x80000000), 31u, 1u));
  bits[3] = clz(1u) + 100 * ctz(8u) + 10000 * popcount(0xf0f0u) + insert_bits(0u, 3u, 30u, 2u);
})",
      {.buffers = {out.data(), bits.data()}});
  EXPECT_THAT(out, ElementsAre(6, 4, 3, 3, 9, 2.5f, -3, 8, 10, 0, 0, 9, -3, 4, -3, 4, 1, 2048, 3072, 5));
  EXPECT_THAT(bits, ElementsAre(0xC0003C00u, 0x8140817Fu, 0xd12u - 1u, 31u + 300u + 80000u + (3u << 30)));
}

TEST_F(MetalCpu, BarriersShareThreadgroupMemory) {
  std::vector<u32> out(2 * 100);
  run(R"(
static uint sum_of(threadgroup uint* values, uint count) {
  uint sum = 0;
  for (uint i = 0; i < count; ++i) sum += values[i];
  return sum;
}
kernel void k(device uint* out [[buffer(0)]], uint i [[thread_index_in_threadgroup]],
              uint group [[threadgroup_position_in_grid]]) {
  threadgroup uint tile[100];
  threadgroup atomic_uint total;
  if (i == 7) atomic_store_explicit(&total, 0, memory_order_relaxed);
  tile[i] = i * (group + 1);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  atomic_fetch_add_explicit(&total, tile[99 - i], memory_order_relaxed);
  threadgroup uint* last = &tile[99];
  uint seen = *last;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  tile[99 - i] = 0;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[group * 100 + i] = atomic_load_explicit(&total, memory_order_relaxed) + sum_of(tile, 100) + seen;
})",
      {.buffers = {out.data()}, .extent = {100, 1, 1}, .groups = {2, 1, 1}});
  EXPECT_THAT(std::vector(out.begin(), out.begin() + 100), Each(4950 + 99));
  EXPECT_THAT(std::vector(out.begin() + 100, out.end()), Each(2 * 4950 + 198));
}

// Both directions: a value from the invocation before and from the one behind.
TEST_F(MetalCpu, AMissingBarrierShows) {
  const std::string text = R"(
kernel void k(device float* out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  threadgroup float tile[8];
  tile[i] = 1.0f;
  out[i] = tile[)";
  std::vector<float> out(8);
  run(text + "(i + 1) % 8]; }", {.buffers = {out.data()}, .extent = {8, 1, 1}});
  EXPECT_TRUE(std::isnan(out[0]));
  run(text +
          "(i + 7) % 8]; threadgroup_barrier(mem_flags::mem_threadgroup);\n"
          "  tile[i] = 2.0f; out[i] = tile[(i + 7) % 8]; }",
      {.buffers = {out.data()}, .extent = {8, 1, 1}});
  EXPECT_EQ(out[5], 1.0f);
}

TEST_F(MetalCpu, SimdgroupsComputeTogether) {
  constexpr u32 count = 40;  // a whole simdgroup and eight lanes of another
  std::vector<u32> out(count * 8);
  run(R"(
kernel void k(device uint* out [[buffer(0)]], uint i [[thread_index_in_threadgroup]],
              uint lane [[thread_index_in_simdgroup]], uint group [[simdgroup_index_in_threadgroup]]) {
  device uint* to = out + i * 8;
  to[0] = simd_sum(i);
  to[1] = simd_prefix_exclusive_sum(lane) + 1000 * simd_prefix_inclusive_sum(1u);
  to[2] = simd_shuffle_xor(i, ushort(1));
  to[3] = simd_shuffle_up(i, 1);
  to[4] = simd_shuffle_down(i, 2);
  to[5] = simd_broadcast(i, ushort(5)) + 100 * simd_broadcast_first(i);
  to[6] = uint(simd_max(float(i))) + 100 * simd_min(i);
  to[7] = uint(simd_all(lane < 8)) + 2 * uint(simd_any(i == 3)) + 4 * uint(simd_is_first()) + 8 * group;
})",
      {.buffers = {out.data()}, .extent = {count, 1, 1}});
  const auto row = [&](u32 i) { return std::vector(out.begin() + i * 8, out.begin() + i * 8 + 8); };
  EXPECT_THAT(row(0), ElementsAre(496, 1000, 1, 0, 2, 5, 31, 6));
  EXPECT_THAT(row(31), ElementsAre(496, 465 + 32000, 30, 30, 31, 5, 31, 2));
  EXPECT_THAT(row(39), ElementsAre(284, 21 + 8000, 38, 38, 39, 37 + 3200, 39 + 3200, 1 + 8));
}

TEST_F(MetalCpu, SimdgroupMatricesMultiply) {
  std::vector<std::uint16_t> a(16 * 16), b(16 * 16);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = float_to_half(static_cast<float>(i * 7 % 11) - 5.0f);
    b[i] = float_to_half(static_cast<float>(i * 5 % 13) - 6.0f);
  }
  std::vector<float> out(8 * 10, -1.0f);
  run(R"(
kernel void k(device const half* a [[buffer(0)]], device const half* b [[buffer(1)]], device float* out [[buffer(2)]]) {
  simdgroup_float8x8 sum = make_filled_simdgroup_matrix<float, 8, 8>(0.5f);
  simdgroup_half8x8 left, right;
  simdgroup_load(left, a + 8, 16);
  simdgroup_load(right, b, 16, ulong2(0, 0), true);
  simdgroup_multiply_accumulate(sum, left, right, sum);
  simdgroup_float8x8 one(2.0f);
  simdgroup_multiply_accumulate(sum, left, one, sum);
  simdgroup_store(sum, out, 10);
})",
      {.buffers = {a.data(), b.data(), out.data()}, .extent = {32, 1, 1}});
  const auto value = [](const auto& from, std::size_t at) { return half_to_float(from[at]); };
  for (std::size_t row = 0; row < 8; ++row) {
    for (std::size_t column = 0; column < 8; ++column) {
      float sum = 0.5f + 2 * value(a, row * 16 + 8 + column);
      for (std::size_t k = 0; k < 8; ++k) sum += value(a, row * 16 + 8 + k) * value(b, column * 16 + k);
      EXPECT_EQ(out[row * 10 + column], sum) << row << ", " << column;
    }
    EXPECT_EQ(out[row * 10 + 8], -1.0f);
  }
}

TEST_F(MetalCpu, TexturesOfEachKindAreReadAndWritten) {
  std::vector<float> plane(4 * 3 * 2);
  std::iota(plane.begin(), plane.end(), 0.0f);
  std::vector<std::uint16_t> layers(4 * 3 * 2 * 2);
  std::vector<std::int8_t> volume(4 * 2 * 2 * 2, -3);
  std::vector<u32> line(4 * 5);
  const metal_cpu::Texture in = {plane.data(), metal_cpu::Texel::F32, {3, 2, 1}};
  const metal_cpu::Texture out = {layers.data(), metal_cpu::Texel::F16, {3, 2, 2}};
  const metal_cpu::Texture bytes = {volume.data(), metal_cpu::Texel::I8, {2, 2, 2}};
  const metal_cpu::Texture words = {line.data(), metal_cpu::Texel::U32, {5, 1, 1}};
  const std::string text = R"(
kernel void k(texture2d<float, access::read> in [[texture(0)]], texture2d_array<half, access::write> out [[texture(1)]],
              texture3d<int, access::read> bytes [[texture(2)]], texture_buffer<uint, access::write> words [[texture(3)]],
              uint3 at [[thread_position_in_grid]]) {
  out.write(half4(in.read(at.xy)), at.xy, at.z);
  words.write(uint4(bytes.read(uint3(1, at.yz)) + int(at.x)), LAST);
})";
  const Launch launch = {.textures = {&in, &out, &bytes, &words}, .groups = {3, 2, 2}};
  run(std::string(text).replace(text.find("LAST"), 4, "at.x + 2 * at.y"), launch);
  for (std::size_t i = 0; i < layers.size(); ++i) EXPECT_EQ(half_to_float(layers[i]), plane[i % 24]);
  EXPECT_THAT(std::vector(line.begin() + 16, line.end()), Each(static_cast<u32>(-1)));
  EXPECT_EQ(fault_of(std::string(text).replace(text.find("LAST"), 4, "5u"), launch),
            "The kernel 'k', line 8: A texel outside of its texture is accessed.");
  const metal_cpu::Texture wrong = {line.data(), metal_cpu::Texel::I32, {5, 1, 1}};
  EXPECT_THAT(fault_of(std::string(text).replace(text.find("LAST"), 4, "at.x"),
                       {.textures = {&in, &out, &bytes, &wrong}, .groups = {1, 1, 1}}),
              HasSubstr("does not fit the format"));
}

TEST_F(MetalCpu, DivergenceIsAFault) {
  std::vector<u32> out(64);
  const auto fault = [&](const std::string& statement) {
    return fault_of("kernel void k(device uint* out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {\n  " +
                        statement + "\n  out[i] = i;\n}",
                    {.buffers = {out.data()}, .extent = {64, 1, 1}});
  };
  EXPECT_EQ(fault("if (i < 60) threadgroup_barrier(mem_flags::mem_none);"),
            "The kernel 'k', line 4: threadgroup_barrier is reached by 60 of 64 invocations of the threadgroup.");
  EXPECT_EQ(fault("if (i > 33) out[i] = simd_sum(i);"),
            "The kernel 'k', line 4: simd_sum is reached by 30 of 32 invocations of the simdgroup.");
  EXPECT_THAT(fault("if (i == 0) return; threadgroup_barrier(mem_flags::mem_none);"), HasSubstr("63 of 64"));
  EXPECT_THAT(fault("if (i < 32) threadgroup_barrier(mem_flags::mem_none);\n"
                    "  else threadgroup_barrier(mem_flags::mem_none);"),
              HasSubstr("32 of 64"));
  // A simdgroup that is somewhere else is none.
  run("kernel void k(device uint* out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {\n"
      "  out[i] = i < 32 ? simd_sum(i) : simd_max(i);\n}",
      {.buffers = {out.data()}, .extent = {64, 1, 1}});
  EXPECT_EQ(out[31], 496u);
  EXPECT_EQ(out[32], 63u);
}

TEST_F(MetalCpu, WhatMetalLeavesUndefinedIsAFault) {
  std::vector<u32> in = {0, 4, 32};
  std::vector<u32> out(4);
  const auto fault = [&](const std::string& statement) {
    return fault_of(
        "kernel void k(device const uint* in [[buffer(0)]], device uint* out [[buffer(1)]]) {\n  " + statement + "\n}",
        {.buffers = {in.data(), out.data()}});
  };
  EXPECT_EQ(fault("uint a[4] = {1, 2, 3, 4}; out[0] = a[in[1]];"),
            "The kernel 'k', line 4: An index is outside of its array.");
  EXPECT_THAT(fault("uint4 a(1); out[0] = a[in[1]];"), HasSubstr("An index is outside of its vector."));
  EXPECT_THAT(fault("threadgroup uint a[4]; a[in[1]] = 1; out[0] = a[0];"), HasSubstr("outside of its array."));
  EXPECT_THAT(fault("out[0] = 7u / in[0];"), HasSubstr("line 4: An integer is divided by zero."));
  EXPECT_THAT(fault("out[0] = (int4(7) % int4(int(in[0]))).x;"), HasSubstr("An integer is divided by zero."));
  EXPECT_THAT(fault("out[0] = 1u << in[2];"), HasSubstr("line 4: A shift is by as many bits"));
  EXPECT_THAT(fault("out[0] = (uint2(1) >> uint2(in[2])).y;"), HasSubstr("A shift is by as many bits"));
  EXPECT_THAT(fault("out[0] = extract_bits(in[1], in[2], 1u);"), HasSubstr("line 4: extract_bits passes"));
  EXPECT_THAT(fault("out[0] = simd_shuffle(in[1], ushort(4));"), HasSubstr("a lane that the simdgroup lacks"));
  EXPECT_THAT(fault("out[0] = in[3;"), HasSubstr("does not compile as Metal"));
  EXPECT_THAT(fault("const float x = 1.0; out[0] = min(in[0], 3);"), HasSubstr("does not compile as Metal"));
}

}  // namespace
}  // namespace driftwood::test

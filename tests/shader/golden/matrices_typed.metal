#include <metal_stdlib>
#include <metal_simdgroup_matrix>

using namespace metal;

struct matrix_half {
  simdgroup_half8x8 tile[4];
};

static matrix_half load_matrix_half_columns(threadgroup const half* at, uint stride) {
  matrix_half m;
  simdgroup_load(m.tile[0], at, stride, ulong2(0, 0), true);
  simdgroup_load(m.tile[1], at + 8u * stride, stride, ulong2(0, 0), true);
  simdgroup_load(m.tile[2], at + 8u, stride, ulong2(0, 0), true);
  simdgroup_load(m.tile[3], at + 8u * stride + 8u, stride, ulong2(0, 0), true);
  return m;
}

struct matrix_float {
  simdgroup_float8x8 tile[4];
};

static matrix_float matrix_multiply_accumulate(matrix_half a, matrix_half b, matrix_float c) {
  matrix_float d;
  simdgroup_multiply_accumulate(d.tile[0], a.tile[0], b.tile[0], c.tile[0]);
  simdgroup_multiply_accumulate(d.tile[0], a.tile[1], b.tile[2], d.tile[0]);
  simdgroup_multiply_accumulate(d.tile[1], a.tile[0], b.tile[1], c.tile[1]);
  simdgroup_multiply_accumulate(d.tile[1], a.tile[1], b.tile[3], d.tile[1]);
  simdgroup_multiply_accumulate(d.tile[2], a.tile[2], b.tile[0], c.tile[2]);
  simdgroup_multiply_accumulate(d.tile[2], a.tile[3], b.tile[2], d.tile[2]);
  simdgroup_multiply_accumulate(d.tile[3], a.tile[2], b.tile[1], c.tile[3]);
  simdgroup_multiply_accumulate(d.tile[3], a.tile[3], b.tile[3], d.tile[3]);
  return d;
}

static matrix_float zero_matrix_float() {
  matrix_float m;
  m.tile[0] = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
  m.tile[1] = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
  m.tile[2] = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
  m.tile[3] = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
  return m;
}

static matrix_half load_matrix_half(threadgroup const half* at, uint stride) {
  matrix_half m;
  simdgroup_load(m.tile[0], at, stride);
  simdgroup_load(m.tile[1], at + 8u, stride);
  simdgroup_load(m.tile[2], at + 8u * stride, stride);
  simdgroup_load(m.tile[3], at + 8u * stride + 8u, stride);
  return m;
}

static void store_matrix_float(matrix_float m, threadgroup float* at, uint stride) {
  simdgroup_store(m.tile[0], at, stride);
  simdgroup_store(m.tile[1], at + 8u, stride);
  simdgroup_store(m.tile[2], at + 8u * stride, stride);
  simdgroup_store(m.tile[3], at + 8u * stride + 8u, stride);
}

static matrix_float load_matrix_float(threadgroup const float* at, uint stride) {
  matrix_float m;
  simdgroup_load(m.tile[0], at, stride);
  simdgroup_load(m.tile[1], at + 8u, stride);
  simdgroup_load(m.tile[2], at + 8u * stride, stride);
  simdgroup_load(m.tile[3], at + 8u * stride + 8u, stride);
  return m;
}

static void store_matrix_float_columns(matrix_float m, threadgroup float* at, uint stride) {
  simdgroup_store(m.tile[0], at, stride, ulong2(0, 0), true);
  simdgroup_store(m.tile[1], at + 8u * stride, stride, ulong2(0, 0), true);
  simdgroup_store(m.tile[2], at + 8u, stride, ulong2(0, 0), true);
  simdgroup_store(m.tile[3], at + 8u * stride + 8u, stride, ulong2(0, 0), true);
}

static matrix_float multiplied(matrix_half a, matrix_float sum, uint at, threadgroup uint4* words) {
  const matrix_half b = load_matrix_half_columns((threadgroup const half*)(threadgroup uint4 (*)[128])words + (at + 512u), 16u);
  return matrix_multiply_accumulate(a, b, sum);
}

[[max_total_threads_per_threadgroup(64)]]
kernel void matrices(device const uint4* x [[buffer(0)]], device float4* y [[buffer(1)]],
                     uint k [[thread_index_in_threadgroup]], uint group [[simdgroup_index_in_threadgroup]]) {
  threadgroup uint4 words[128];
  threadgroup half halves[512];
  threadgroup uint2 pairs[128];
  threadgroup float4 sums[128];
  threadgroup uint sum_words[256];
  for (uint i = k; i < 128u; i += 64u) words[i] = uint4(0);
  for (uint i = k; i < 512u; i += 64u) halves[i] = 0;
  for (uint i = k; i < 128u; i += 64u) pairs[i] = uint2(0);
  for (uint i = k; i < 128u; i += 64u) sums[i] = float4(0);
  for (uint i = k; i < 256u; i += 64u) sum_words[i] = 0;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  words[k] = x[k];
  words[k + 64u] = x[k + 64u];
  halves[k * 8u] = half(k);
  halves[k * 8u + 1u] = half(k + 1u);
  halves[k * 8u + 2u] = half(k + 2u);
  halves[k * 8u + 3u] = half(k + 3u);
  halves[k * 8u + 4u] = half(k + 4u);
  halves[k * 8u + 5u] = half(k + 5u);
  halves[k * 8u + 6u] = half(k + 6u);
  halves[k * 8u + 7u] = half(k + 7u);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  matrix_float acc_0 = zero_matrix_float();
  matrix_float acc_1 = zero_matrix_float();
  const matrix_half a_2 = load_matrix_half((threadgroup const half*)&words + group * 256u, 16u);
  acc_0 = multiplied(a_2, acc_0, 0u, words);
  const matrix_half b_2 = load_matrix_half((threadgroup const half*)&halves + 0u, 16u);
  acc_0 = matrix_multiply_accumulate(load_matrix_half_columns((threadgroup const half*)&words + 0u, 32u), b_2, acc_0);
  const matrix_half a_3 = load_matrix_half((threadgroup const half*)&words + group * 256u, 16u);
  acc_1 = multiplied(a_3, acc_1, 256u, words);
  const matrix_half b_3 = load_matrix_half((threadgroup const half*)&halves + 256u, 16u);
  acc_1 = matrix_multiply_accumulate(load_matrix_half_columns((threadgroup const half*)&words + 0u, 32u), b_3, acc_1);
  store_matrix_float(acc_0, (threadgroup float*)&sums + group * 256u, 16u);
  pairs[k * 2u] = words[k].xy;
  pairs[k * 2u + 1u] = words[k].zw;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  sums[k] *= 2.0f;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (sums[0].x > 0.0f) {
    const matrix_float again = load_matrix_float((threadgroup const float*)&sums + group * 256u, 16u);
    acc_1 = matrix_multiply_accumulate(load_matrix_half((threadgroup const half*)&pairs + 0u, 16u), load_matrix_half_columns((threadgroup const half*)&words + 0u, 16u), again);
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  if (group == 1u) {
    store_matrix_float_columns(acc_1, (threadgroup float*)&sum_words + 0u, 16u);
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  y[k] = float4(as_type<float>(sum_words[k]), sums[k].yzw);
}

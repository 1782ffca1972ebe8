#pragma OPENCL EXTENSION cl_khr_fp16 : enable

static uint4 load_matrix_right_columns(uint array, uint offset, uint stride) {
  uint lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  uint at = array + 2u * (offset + ((lane & 7u) + (lane >> 4) * 8u) * stride + (lane & 8u));
  uint a, b, c, d;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "r"(at)
               : "memory");
  return (uint4)(a, b, c, d);
}

static float4 matrix_product(uint4 a, uint2 b, float4 c) {
  float d0, d1, d2, d3;
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
               "{%10, %11, %12, %13};"
               : "=f"(d0), "=f"(d1), "=f"(d2), "=f"(d3)
               : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y), "f"(c.x), "f"(c.y), "f"(c.z), "f"(c.w));
  return (float4)(d0, d1, d2, d3);
}

static float8 matrix_multiply_accumulate(uint4 a, uint4 b, float8 c) {
  float8 d;
  d.lo = matrix_product(a, b.lo, c.lo);
  d.hi = matrix_product(a, b.hi, c.hi);
  return d;
}

static uint4 load_matrix_left(uint array, uint offset, uint stride) {
  uint lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  uint at = array + 2u * (offset + (lane & 15u) * stride + (lane >> 4) * 8u);
  uint a, b, c, d;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "r"(at)
               : "memory");
  return (uint4)(a, b, c, d);
}

static uint4 load_matrix_right(uint array, uint offset, uint stride) {
  uint lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  uint at = array + 2u * (offset + (lane & 15u) * stride + (lane >> 4) * 8u);
  uint a, b, c, d;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "r"(at)
               : "memory");
  return (uint4)(a, b, c, d);
}

static uint4 load_matrix_left_columns(uint array, uint offset, uint stride) {
  uint lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  uint at = array + 2u * (offset + ((lane & 7u) + (lane >> 4) * 8u) * stride + (lane & 8u));
  uint a, b, c, d;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "r"(at)
               : "memory");
  return (uint4)(a, b, c, d);
}

static void store_matrix_result_float(__local float* array, uint offset, float8 matrix, uint stride) {
  uint lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  array += offset + (lane >> 2) * stride + (lane & 3u) * 2u;
  float8 bits = as_float8(matrix);
  *(__local float2*)array = bits.s01;
  *(__local float2*)(array + 8u * stride) = bits.s23;
  *(__local float2*)(array + 8u) = bits.s45;
  *(__local float2*)(array + 8u * stride + 8u) = bits.s67;
}

static float8 load_matrix_result_columns_float(__local float* array, uint offset, uint stride) {
  uint lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  array += offset + (lane & 3u) * 2u * stride + (lane >> 2);
  return as_float8((float8)(*array, *(array + 1u * stride), *(array + 8u), *(array + 1u * stride + 8u), *(array + 8u * stride), *(array + 9u * stride), *(array + 8u * stride + 8u), *(array + 9u * stride + 8u)));
}

static void store_matrix_result_columns_uint(__local uint* array, uint offset, float8 matrix, uint stride) {
  uint lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  array += offset + (lane & 3u) * 2u * stride + (lane >> 2);
  uint8 bits = as_uint8(matrix);
  *array = bits.s0;
  *(array + 1u * stride) = bits.s1;
  *(array + 8u) = bits.s2;
  *(array + 1u * stride + 8u) = bits.s3;
  *(array + 8u * stride) = bits.s4;
  *(array + 9u * stride) = bits.s5;
  *(array + 8u * stride + 8u) = bits.s6;
  *(array + 9u * stride + 8u) = bits.s7;
}

static void store_matrix_result_columns_float(__local float* array, uint offset, float8 matrix, uint stride) {
  uint lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  array += offset + (lane & 3u) * 2u * stride + (lane >> 2);
  float8 bits = as_float8(matrix);
  *array = bits.s0;
  *(array + 1u * stride) = bits.s1;
  *(array + 8u) = bits.s2;
  *(array + 1u * stride + 8u) = bits.s3;
  *(array + 8u * stride) = bits.s4;
  *(array + 9u * stride) = bits.s5;
  *(array + 8u * stride + 8u) = bits.s6;
  *(array + 9u * stride + 8u) = bits.s7;
}

static float8 multiplied(uint4 a, float8 sum, uint at, __local uint4* words) {
  const uint4 b = load_matrix_right_columns((uint)(size_t)(__local uint4 (*)[128])words, at + 512u, 16u);
  return matrix_multiply_accumulate(a, b, sum);
}

__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void matrices(__global const uint4* restrict x, __global float4* y, ulong x_offset, ulong y_offset) {
  __local uint4 words[128] __attribute__((aligned(16)));
  __local half halves[512] __attribute__((aligned(16)));
  __local float sums[512] __attribute__((aligned(16)));
  x = (__global const uint4*)((__global const uchar*)x + x_offset);
  y = (__global float4*)((__global uchar*)y + y_offset);
  const uint k = (uint)get_local_id(0);
  const uint group = (uint)get_local_id(0) / 32u;
  for (uint i = get_local_id(0); i < 128u; i += 64u) words[i] = (uint4)(0);
  for (uint i = get_local_id(0); i < 512u; i += 64u) halves[i] = 0;
  for (uint i = get_local_id(0); i < 512u; i += 64u) sums[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  words[k] = x[k];
  (words + (k))[64] = (x + (k))[64];
  halves[k * 8u] = (half)(float)k;
  (halves + (k * 8u))[1] = (half)(float)(k + 1u);
  (halves + (k * 8u))[2] = (half)(float)(k + 2u);
  (halves + (k * 8u))[3] = (half)(float)(k + 3u);
  (halves + (k * 8u))[4] = (half)(float)(k + 4u);
  (halves + (k * 8u))[5] = (half)(float)(k + 5u);
  (halves + (k * 8u))[6] = (half)(float)(k + 6u);
  (halves + (k * 8u))[7] = (half)(float)(k + 7u);
  barrier(CLK_LOCAL_MEM_FENCE);
  float8 acc_0 = (float8)(0);
  float8 acc_1 = (float8)(0);
  const uint4 a_2 = load_matrix_left((uint)(size_t)&words, group * 256u, 16u);
  acc_0 = multiplied(a_2, acc_0, 0u, words);
  const uint4 b_2 = load_matrix_right((uint)(size_t)&halves, 0u, 16u);
  acc_0 = matrix_multiply_accumulate(load_matrix_left_columns((uint)(size_t)&words, 0u, 32u), b_2, acc_0);
  const uint4 a_3 = load_matrix_left((uint)(size_t)&words, group * 256u, 16u);
  acc_1 = multiplied(a_3, acc_1, 256u, words);
  const uint4 b_3 = load_matrix_right((uint)(size_t)&halves, 256u, 16u);
  acc_1 = matrix_multiply_accumulate(load_matrix_left_columns((uint)(size_t)&words, 0u, 32u), b_3, acc_1);
  store_matrix_result_float((__local float*)&sums, group * 256u, acc_0, 16u);
  barrier(CLK_LOCAL_MEM_FENCE);
  float8 again = load_matrix_result_columns_float((__local float*)&sums, group * 256u, 16u);
  again = matrix_multiply_accumulate(load_matrix_left((uint)(size_t)&words, 0u, 16u), load_matrix_right_columns((uint)(size_t)&words, 0u, 16u), again);
  barrier(CLK_LOCAL_MEM_FENCE);
  store_matrix_result_columns_uint((__local uint*)&words, 0u, acc_1, 16u);
  if (group == 1u) {
    store_matrix_result_columns_float((__local float*)&sums, 0u, again, 16u);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  y[k] = as_float4(words[k]) + sums[k];
}

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

static half2 half2_of_word(uint v) {
  union { uint word; half2 pair; } both;
  both.word = v;
  return both.pair;
}

static half4 half4_bits_of_uint2(uint2 v) {
  return (half4)(half2_of_word(v.x), half2_of_word(v.y));
}

static half2 half2_bits_of_uint(uint v) {
  return half2_of_word(v);
}

static float2 float2_from_half2(half2 v) {
  return (float2)((float)v.x, (float)v.y);
}

static uint pack_2x16_float(float2 v) {
  uint bits;
  vstore_half2_rte(v, 0, (half*)&bits);
  return bits;
}

static uint2 uint2_bits_of_half4(half4 v) {
  return (uint2)(pack_2x16_float(float2_from_half2(v.xy)), pack_2x16_float(float2_from_half2(v.zw)));
}

static float float_bits_of_half2(half2 v) {
  return as_float(pack_2x16_float(float2_from_half2(v)));
}

static uint uint_bits_of_half2(half2 v) {
  return pack_2x16_float(float2_from_half2(v));
}

__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void scales(__global const uint2* restrict words, __global half4* y, __global uint2* back,
                     __global float* f, ulong words_offset, ulong y_offset, ulong back_offset, ulong f_offset) {
  words = (__global const uint2*)((__global const uchar*)words + words_offset);
  y = (__global half4*)((__global uchar*)y + y_offset);
  back = (__global uint2*)((__global uchar*)back + back_offset);
  f = (__global float*)((__global uchar*)f + f_offset);
  const uint k = (uint)get_local_id(0);
  const half4 four = half4_bits_of_uint2(words[k]);
  const half2 pair = half2_bits_of_uint(words[k].x);
  y[k] = four * pair.x;
  back[k] = uint2_bits_of_half4(four + 1.0h);
  f[k] = float_bits_of_half2(pair * 2.0h);
  back[k].x = uint_bits_of_half2(pair);
}

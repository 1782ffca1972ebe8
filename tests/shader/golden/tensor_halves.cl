#pragma OPENCL EXTENSION cl_khr_fp16 : enable

static float2 unpack_2x16_float(uint bits) {
  return vload_half2(0, (const half*)&bits);
}

__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void tensor_halves(__global const half* restrict x, __global float4* y, ulong x_offset, ulong y_offset) {
  x = (__global const half*)((__global const uchar*)x + x_offset);
  y = (__global float4*)((__global uchar*)y + y_offset);
  const uint3 at = (uint3)(get_global_id(0), get_global_id(1), get_global_id(2));
  const uint2 words = ((__global const uint2*)x)[(at.x % 4u * 3u + at.y) * 5u + at.x / 4u];
  const float4 value = (float4)(unpack_2x16_float(words.x), unpack_2x16_float(words.y));
  y[(at.x % 4u * 3u + at.y) * 5u + at.x / 4u] = value + vload_half4(0, x);
}

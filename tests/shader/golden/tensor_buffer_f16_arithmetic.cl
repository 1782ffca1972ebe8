#pragma OPENCL EXTENSION cl_khr_fp16 : enable

static half4 half4_from_float4(float4 v) {
  return (half4)((half)v.x, (half)v.y, (half)v.z, (half)v.w);
}

static float4 float4_from_half4(half4 v) {
  return (float4)((float)v.x, (float)v.y, (float)v.z, (float)v.w);
}

__attribute__((reqd_work_group_size(8, 4, 1)))
__kernel void double_(__global const half4* x, __global half4* y, __global float4* z, ulong x_offset, ulong y_offset,
                      ulong z_offset) {
  x = (__global const half4*)((__global const uchar*)x + x_offset);
  y = (__global half4*)((__global uchar*)y + y_offset);
  z = (__global float4*)((__global uchar*)z + z_offset);
  const uint3 id = (uint3)(get_global_id(0), get_global_id(1), get_global_id(2));
  const half4 v = x[(id.x * 3u + id.z) * 5u + id.y] + half4_from_float4(z[(id.x * 3u + id.z) * 5u + id.y]);
  y[(id.x * 3u + id.z) * 5u + id.y] = v * 2.0h;
  z[(id.x * 3u + id.z) * 5u + id.y] = float4_from_half4(v);
}

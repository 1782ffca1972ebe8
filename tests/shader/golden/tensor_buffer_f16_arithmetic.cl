#pragma OPENCL EXTENSION cl_khr_fp16 : enable

__attribute__((reqd_work_group_size(8, 4, 1)))
__kernel void double_(__global const half4* restrict x, __global half4* y, __global float4* z) {
  const uint3 id = (uint3)(get_global_id(0), get_global_id(1), get_global_id(2));
  const half4 v = x[(id.x * 3u + id.z) * 5u + id.y] + convert_half4(z[(id.x * 3u + id.z) * 5u + id.y]);
  y[(id.x * 3u + id.z) * 5u + id.y] = v * 2.0h;
  z[(id.x * 3u + id.z) * 5u + id.y] = convert_float4(v);
}

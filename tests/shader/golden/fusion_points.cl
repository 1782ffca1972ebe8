__attribute__((reqd_work_group_size(4, 4, 1)))
__kernel void scale(__global const float4* restrict x, __global float4* y, ulong x_offset, ulong y_offset) {
  x = (__global const float4*)((__global const uchar*)x + x_offset);
  y = (__global float4*)((__global uchar*)y + y_offset);
  const uint3 id = (uint3)(get_global_id(0), get_global_id(1), get_global_id(2));
  const float4 v = x[id.x * 4u + id.y] * 3.0f;
  y[id.x * 4u + id.y] = v;
}

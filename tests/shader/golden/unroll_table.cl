__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void smooth_rows(__global const float4* restrict x, __global float4* y, ulong x_offset, ulong y_offset) {
  x = (__global const float4*)((__global const uchar*)x + x_offset);
  y = (__global float4*)((__global uchar*)y + y_offset);
  const uint3 id = (uint3)(get_global_id(0), get_global_id(1), get_global_id(2));
  float4 sum = (float4)(0.0f);
  sum += x[id.x] * 0.25f;
  sum += x[id.x + 1u] * 0.5f;
  sum += x[id.x + 2u] * 0.25f;
  y[id.x] = sum;
}

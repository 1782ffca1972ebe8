__attribute__((reqd_work_group_size(8, 4, 1)))
__kernel void double_(__global const float4* restrict x, __global float4* y, ulong x_offset, ulong y_offset) {
  x = (__global const float4*)((__global const uchar*)x + x_offset);
  y = (__global float4*)((__global uchar*)y + y_offset);
  const uint3 id = (uint3)(get_global_id(0), get_global_id(1), get_global_id(2));
  if (id.x >= 3u || id.y >= 5u || id.z >= 3u) {
    return;
  }
  for (uint b = 0u; b < 2u; b++) {
    y[((id.x * 3u + id.z) * 5u + id.y) * 2u + b] = x[((id.x * 3u + id.z) * 5u + id.y) * 2u + b] * 2.0f;
  }
}

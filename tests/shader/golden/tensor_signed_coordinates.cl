__attribute__((reqd_work_group_size(4, 4, 4)))
__kernel void blur(__global const float4* restrict x, __global float4* y, ulong x_offset, ulong y_offset) {
  x = (__global const float4*)((__global const uchar*)x + x_offset);
  y = (__global float4*)((__global uchar*)y + y_offset);
  const uint3 id = (uint3)(get_global_id(0), get_global_id(1), get_global_id(2));
  const int3 at = as_int3(id);
  float4 sum = (float4)(0.0f);
  for (int dy = -1; dy <= 1; dy++) {
    for (int dx = -1; dx <= 1; dx++) {
      const int row = (int)((uint)at.y + dy);
      const int column = (int)((uint)at.x + dx);
      if (row >= 0 && row < 6 && column >= 0 && column < 6) {
        sum += x[(at.z * 6 + row) * 6 + column];
      }
    }
  }
  y[(at.z * 6 + at.y) * 6 + at.x] = sum / 9.0f;
}

__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void arrays(__global const float* restrict x, __global float* y, ulong x_offset, ulong y_offset) {
  x = (__global const float*)((__global const uchar*)x + x_offset);
  y = (__global float*)((__global uchar*)y + y_offset);
  float a[8] = {0};
  float b[3] = {1.0f, 2.0f, 3.0f};
  float4 grid[4][2] = {0};
  for (uint i = 0u; i < 8u; i++) {
    a[i] = x[i] * b[i % 3u];
    grid[i / 2u][i % 2u] = (float4)(a[i]);
    b[i % 3u] = 0.5f;
  }
  y[0] = a[convert_uint_sat_rtz(x[0])] + grid[convert_uint_sat_rtz(x[1])][1].w;
}

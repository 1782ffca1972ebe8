__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void grid(__global const float* restrict x, __global float* y, ulong x_offset, ulong y_offset) {
  x = (__global const float*)((__global const uchar*)x + x_offset);
  y = (__global float*)((__global uchar*)y + y_offset);
  const float g_0_0 = x[0];
  const float g_0_1 = x[1];
  const float g_1_0 = x[2];
  const float g_1_1 = x[3];
  y[0] = g_0_0 * g_1_1 - g_0_1 * g_1_0;
}

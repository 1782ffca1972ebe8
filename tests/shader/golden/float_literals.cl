__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void floats(__global float* y, ulong y_offset) {
  y = (__global float*)((__global uchar*)y + y_offset);
  y[0] = 0.0f;
  y[1] = -0.0f;
  y[2] = 1e-45f;
  y[3] = 3.4028235e38f;
  y[4] = 0.1f;
  y[5] = 1e5f;
  y[6] = 1e10f;
  y[7] = 0.1875f;
}

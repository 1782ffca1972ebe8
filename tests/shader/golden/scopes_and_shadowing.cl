__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void scopes(__global float* y, ulong y_offset) {
  y = (__global float*)((__global uchar*)y + y_offset);
  const float x = y[0];
  const float x_1 = y[1];
  y[2] = x_1;
  if (x > 0.0f) {
    y[3] = 3.0f;
  }
  float z = x;
  float z_1 = y[4];
  z_1 += 1.0f;
  y[5] = z_1;
  z += 2.0f;
  y[6] = z;
}

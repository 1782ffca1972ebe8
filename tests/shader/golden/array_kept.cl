__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void arrays(__global float* y, ulong y_offset) {
  y = (__global float*)((__global uchar*)y + y_offset);
  float a[2] = {y[0], y[1]};
  float b_0 = y[2];
  const float b_1 = y[3];
  for (uint i = 0u; i < 2u; i++) {
    a[i] += b_1;
    b_0 += 1.0f;
  }
  y[4] = a[0] + b_0;
}

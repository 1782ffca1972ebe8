static float square(float x) {
  return x * x;
}

static float largest(uint n, __global float* y) {
  float best = -1e30f;
  for (uint i = 0u; i < n; i++) {
    if (y[i] > 100.0f) {
      return 100.0f;
    }
    const float x_1 = y[i];
    best = fmax(best, x_1 * x_1);
  }
  return best;
}

__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void main_kernel(__global float* y, ulong y_offset) {
  y = (__global float*)((__global uchar*)y + y_offset);
  const float value_1 = largest(4u, y);
  y[0] = value_1;
  const float value_2 = largest(8u, y) + square(largest(2u, y));
  y[1] = value_2;
}

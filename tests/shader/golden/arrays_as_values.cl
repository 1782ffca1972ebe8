typedef struct {
  float at[4];
} array_4_float;

static float sum(array_4_float a, uint n) {
  float total = 0.0f;
  for (uint i = 0u; i < n; i++) {
    if (a.at[i] < 0.0f) {
      return total;
    }
    total += a.at[i];
  }
  return total;
}

static array_4_float twice(uint n_1, __global const float* restrict x) {
  array_4_float a_1 = {0};
  for (uint i_1 = 0u; i_1 < n_1; i_1++) {
    if (x[i_1] < 0.0f) {
      return a_1;
    }
    a_1.at[i_1] = x[i_1] * 2.0f;
  }
  return a_1;
}

__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void arrays(__global const float* restrict x, __global float* y, ulong x_offset, ulong y_offset) {
  x = (__global const float*)((__global const uchar*)x + x_offset);
  y = (__global float*)((__global uchar*)y + y_offset);
  array_4_float a_2 = twice(convert_uint_sat_rtz(x[0]), x);
  const array_4_float b = a_2;
  a_2.at[convert_uint_sat_rtz(x[1])] = 1.0f;
  y[0] = sum(a_2, 4u) + sum((array_4_float){{1.0f, 2.0f, 3.0f, 4.0f}}, 3u) + b.at[convert_uint_sat_rtz(x[2])];
}

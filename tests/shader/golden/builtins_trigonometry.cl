__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void trigonometry(__global const float* restrict x, __global float* y, ulong x_offset, ulong y_offset) {
  x = (__global const float*)((__global const uchar*)x + x_offset);
  y = (__global float*)((__global uchar*)y + y_offset);
  const float a = x[0];
  y[0] = sin(a) + cos(a) + tan(a);
  y[1] = asin(a) + acos(a) + atan(a) + atan2(a, x[1]);
  y[2] = sinh(a) + cosh(a) + tanh(a);
  y[3] = asinh(a) + acosh(a) + atanh(a);
}

__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void unary(__global int* i, __global float* f, ulong i_offset, ulong f_offset) {
  i = (__global int*)((__global uchar*)i + i_offset);
  f = (__global float*)((__global uchar*)f + f_offset);
  i[0] = (int)(-(uint)i[1] - -(uint)i[2]);
  i[3] = ~i[1] & ~(i[2] | 1);
  i[4] = (int)((uint)i[1] - -5);
  i[5] = (int)((uint)i[1] + INT_MIN);
  f[0] = -f[1] * -f[2] - -2.5f;
  f[3] = -(f[1] + f[2]);
  i[6] = -(i[1] & 7);
  f[4] = !(f[1] < f[2]) ? 2.0f : 1.0f;
  f[5] = i[1] >= i[2] ? 2.0f : 1.0f;
}

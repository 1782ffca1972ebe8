__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void aliased(__global float2 (*y)[3], ulong y_offset) {
  y = (__global float2 (*)[3])((__global uchar*)y + y_offset);
  y[0][1] = (float2)(0.0f) + y[1][2];
}

__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void shifts(__global int* x, __global uint2* u, ulong x_offset, ulong u_offset) {
  x = (__global int*)((__global uchar*)x + x_offset);
  u = (__global uint2*)((__global uchar*)u + u_offset);
  x[1] = x[0] << 4u;
  x[2] = x[0] >> 31u;
  x[3] = x[0] >> u[0].x;
  u[1] = u[0] << u[2];
  u[3] = (u[0] >> (uint2)(4u)) & (uint2)(15u);
  x[4] <<= 2u;
}

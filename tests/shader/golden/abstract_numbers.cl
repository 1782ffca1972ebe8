__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void numbers(__global float* f, __global uint* u, ulong f_offset, ulong u_offset) {
  f = (__global float*)((__global uchar*)f + f_offset);
  u = (__global uint*)((__global uchar*)u + u_offset);
  f[0] = 349525.34f;
  u[0] = 1048577u;
  f[1] = f[0] * 2.0f + 0.33333334f;
  u[1] = u[0] > 3u ? 2u : 1u;
}

__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void selects(__global float4* f, __global float* s, ulong f_offset, ulong s_offset) {
  f = (__global float4*)((__global uchar*)f + f_offset);
  s = (__global float*)((__global uchar*)s + s_offset);
  s[0] = s[3] > 0.0f ? s[2] : s[1];
  s[4] = (s[3] > 0.0f ? (s[6] < 1.0f ? s[5] : s[2]) : s[1]) + 1.0f;
  f[0] = s[0] == 0.0f ? f[2] : f[1];
  f[3] = select(f[1], f[2], f[1] <= f[2]);
  s[7] = s[2];
}

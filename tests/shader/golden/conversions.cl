__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void conversions(__global float* f, __global int* i, __global uint* u, ulong f_offset, ulong i_offset,
                          ulong u_offset) {
  f = (__global float*)((__global uchar*)f + f_offset);
  i = (__global int*)((__global uchar*)i + i_offset);
  u = (__global uint*)((__global uchar*)u + u_offset);
  i[0] = convert_int_sat_rtz(f[0]);
  u[0] = convert_uint_sat_rtz(f[1]);
  f[2] = (float)i[1];
  f[3] = (float)u[1];
  i[2] = (int)u[2];
  u[3] = i[3] + 1u;
  f[4] = (float)(f[0] > 0.0f);
  i[4] = (int)(i[0] == 3);
  f[5] = u[4] != 0u ? 2.0f : 1.0f;
  f[6] = f[7] != 0.0f ? 2.0f : 1.0f;
  f[8] = as_float(u[5]);
  u[6] = as_uint(f[9] + 1.0f);
  i[5] = as_int(u[7]);
}

__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void conversions(__global float4* f, __global int4* i, __global uint4* u, ulong f_offset, ulong i_offset,
                          ulong u_offset) {
  f = (__global float4*)((__global uchar*)f + f_offset);
  i = (__global int4*)((__global uchar*)i + i_offset);
  u = (__global uint4*)((__global uchar*)u + u_offset);
  i[0] = convert_int4_sat_rtz(f[0]);
  u[0] = convert_uint4_sat_rtz(f[1]);
  f[2] = convert_float4(i[1]);
  f[3] = convert_float4(u[1]);
  i[2] = as_int4(u[2]);
  f[4] = convert_float4((f[0] > (float4)(0.0f)) & 1);
  i[4] = (i[0] == (int4)(3)) & 1;
  u[4] = convert_uint4((u[5] != (uint4)(0u)) & 1);
  f[5] = select(f[0], f[1], i[5] != 0);
  f[8] = as_float4(u[5]);
  u[6] = as_uint4(f[9]);
}

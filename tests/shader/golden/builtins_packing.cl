static uint pack_2x16_float(float2 v) {
  uint bits;
  vstore_half2_rte(v, 0, (half*)&bits);
  return bits;
}

static float2 unpack_2x16_float(uint bits) {
  return vload_half2(0, (const half*)&bits);
}

__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void packing(__global uint* u, __global float4* f, __global int4* i, ulong u_offset, ulong f_offset,
                      ulong i_offset) {
  u = (__global uint*)((__global uchar*)u + u_offset);
  f = (__global float4*)((__global uchar*)f + f_offset);
  i = (__global int4*)((__global uchar*)i + i_offset);
  u[0] = pack_2x16_float(f[0].xy);
  f[1] = (float4)(unpack_2x16_float(u[1]), unpack_2x16_float(u[2]));
  u[3] = as_uint(convert_char4(floor(0.5f + 127.0f * clamp(f[2], -1.0f, 1.0f))));
  f[3] = fmax(convert_float4(as_char4(u[4])) / 127.0f, -1.0f);
  u[5] = as_uint(convert_uchar4(floor(0.5f + 255.0f * clamp(f[4], 0.0f, 1.0f))));
  f[5] = convert_float4(as_uchar4(u[6])) / 255.0f;
  u[7] = as_uint(convert_uchar4(as_uint4(i[0])));
  u[8] = as_uint(convert_char4_sat(i[1]));
  u[9] = as_uint(convert_uchar4(as_uint4(i[2])));
  u[10] = as_uint(convert_uchar4_sat(as_uint4(i[3])));
  i[4] = convert_int4(as_char4(u[11]));
  i[5] = as_int4(convert_uint4(as_uchar4(u[12])));
}

__attribute__((reqd_work_group_size(8, 1, 1)))
__kernel void bytes(__global const char4* restrict x, __global const uchar4* restrict u, __global char4* y,
                    __global float4* z, ulong x_offset, ulong u_offset, ulong y_offset, ulong z_offset) {
  x = (__global const char4*)((__global const uchar*)x + x_offset);
  u = (__global const uchar4*)((__global const uchar*)u + u_offset);
  y = (__global char4*)((__global uchar*)y + y_offset);
  z = (__global float4*)((__global uchar*)z + z_offset);
  const uint3 id = (uint3)(get_global_id(0), get_global_id(1), get_global_id(2));
  const int4 v = convert_int4(x[id.x * 5u]);
  y[id.x * 5u] = convert_char4(as_int4(as_uint4(v) + convert_uint4(u[id.x * 5u])));
  z[id.x * 5u] = convert_float4(v);
}

__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void literals(__global float4* f, __global int4* i, __global uint2* u, ulong f_offset, ulong i_offset,
                       ulong u_offset) {
  f = (__global float4*)((__global uchar*)f + f_offset);
  i = (__global int4*)((__global uchar*)i + i_offset);
  u = (__global uint2*)((__global uchar*)u + u_offset);
  const uint3 id = (uint3)(get_global_id(0), get_global_id(1), get_global_id(2));
  f[id.x] = (float4)(1.0f, -2.5f, 1e-30f, 16777216.0f);
  f[id.x + 1u] = (float4)(f[id.x].x);
  f[id.x + 2u] = (float4)(f[id.x].xy, f[id.x].zw);
  f[id.x + 3u] = (float4)(f[id.x].wzy, 0.1f);
  i[id.x] = (int4)(INT_MIN, 2147483647, 0, -1);
  i[id.x + 1u] = (int4)(7);
  u[id.x] = (uint2)(4294967295u, 0u);
  u[id.x + 1u] = (uint2)(0u);
}

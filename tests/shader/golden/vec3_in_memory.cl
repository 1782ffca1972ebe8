__attribute__((reqd_work_group_size(4, 1, 1)))
__kernel void points(__global const float3* restrict p, __global float3* q, ulong p_offset, ulong q_offset) {
  __local uint3 w[4];
  p = (__global const float3*)((__global const uchar*)p + p_offset);
  q = (__global float3*)((__global uchar*)q + q_offset);
  const uint k = (uint)get_local_id(0);
  w[k] = (uint3)(k, k * 2u, 7u);
  barrier(CLK_LOCAL_MEM_FENCE);
  q[k] = p[k] * 2.0f + convert_float3(w[3u - k]);
  q[k].y = dot(p[k], p[k + 1u]);
}

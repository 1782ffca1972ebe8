static float pick(uint i, __global const float2 (*restrict fixed)[4], __constant float4* restrict table) {
  for (uint k = 0u; k < 4u; k++) {
    if (fixed[i][k].x > 0.0f) {
      return table[k].y;
    }
  }
  return 0.0f;
}

__attribute__((reqd_work_group_size(8, 1, 1)))
__kernel void nested(__global const float2 (*restrict fixed)[4], __global float (*y)[3],
                     __constant float4* restrict table, ulong fixed_offset, ulong y_offset, ulong table_offset) {
  fixed = (__global const float2 (*)[4])((__global const uchar*)fixed + fixed_offset);
  y = (__global float (*)[3])((__global uchar*)y + y_offset);
  table = (__constant float4*)((__constant uchar*)table + table_offset);
  const uint k_1 = (uint)get_local_id(0);
  y[k_1][2] = fixed[k_1][1].y + table[k_1].w + pick(k_1, fixed, table) * pick(k_1 + 1u, fixed, table);
}

__attribute__((reqd_work_group_size(32, 1, 1)))
__kernel void workgroup_memory(__global float4* y, ulong y_offset) {
  __local float4 tile[40];
  __local uint count;
  y = (__global float4*)((__global uchar*)y + y_offset);
  const uint k = (uint)get_local_id(0);
  for (uint i = get_local_id(0); i < 40u; i += 32u) tile[i] = (float4)(0);
  if (get_local_id(0) == 0) count = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (k < 20u) {
    tile[k] = y[k];
    count = 20u;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  y[k] = tile[(k + 7u) % 40u] * (float)count;
}

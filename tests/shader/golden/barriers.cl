static uint uniform_load_uint(__local uint* p) {
  barrier(CLK_LOCAL_MEM_FENCE);
  uint value = *p;
  barrier(CLK_LOCAL_MEM_FENCE);
  return value;
}

__attribute__((reqd_work_group_size(32, 1, 1)))
__kernel void barriers(__global float* y, ulong y_offset) {
  __local float tile[32];
  __local uint limit;
  y = (__global float*)((__global uchar*)y + y_offset);
  const uint k = (uint)get_local_id(0);
  tile[k] = y[k];
  if (k == 0u) {
    limit = convert_uint_sat_rtz(y[0]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  y[k] = tile[31u - k];
  barrier(CLK_GLOBAL_MEM_FENCE);
  const uint n = uniform_load_uint(&limit);
  for (uint i = 0u; i < n; i++) {
    y[k] += tile[i];
  }
}

__attribute__((reqd_work_group_size(32, 1, 1)))
__kernel void flags(__global uint* y, ulong y_offset) {
  __local bool seen[32];
  y = (__global uint*)((__global uchar*)y + y_offset);
  const uint k = (uint)get_local_id(0);
  bool last = false;
  seen[k] = y[k] > 7u;
  last = seen[k] && y[k] < 100u;
  barrier(CLK_LOCAL_MEM_FENCE);
  y[k] = (uint)(seen[31u - k] || last);
}

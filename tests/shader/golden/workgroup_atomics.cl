typedef struct {
  uint count;
  int least;
} Bin;

__attribute__((reqd_work_group_size(16, 1, 1)))
__kernel void histogram(__global uint* y, ulong y_offset) {
  __local Bin bins[8];
  __local Bin one;
  __local uint counts[4];
  __local int lowest;
  y = (__global uint*)((__global uchar*)y + y_offset);
  const uint k = (uint)get_local_id(0);
  for (uint i = get_local_id(0); i < 8u; i += 16u) bins[i] = (Bin){0};
  if (get_local_id(0) == 0) one = (Bin){0};
  for (uint i = get_local_id(0); i < 4u; i += 16u) counts[i] = 0;
  if (get_local_id(0) == 0) lowest = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&bins[y[k] % 8u].count, 1u);
  atomic_min(&bins[y[k] % 8u].least, -(int)k);
  atomic_add(&one.count, atomic_add(&counts[k % 4u], 2u));
  atomic_min(&lowest, -(int)k);
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint total = *(volatile __local uint*)&counts[1];
  const uint value = *(volatile __local uint*)&bins[k % 8u].count;
  const uint value_1 = -(uint)*(volatile __local int*)&bins[k % 8u].least;
  const uint value_2 = *(volatile __local uint*)&one.count;
  const uint value_3 = -(uint)*(volatile __local int*)&lowest;
  y[k] = value + value_1 + value_2 + total + value_3;
}

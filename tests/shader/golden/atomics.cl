typedef struct {
  uint total;
  int extremes[2];
} Counters;

__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void atomics(__global Counters* counters, __global uint* flags, ulong counters_offset, ulong flags_offset) {
  __local uint local_count;
  counters = (__global Counters*)((__global uchar*)counters + counters_offset);
  flags = (__global uint*)((__global uchar*)flags + flags_offset);
  const uint k = (uint)get_local_id(0);
  if (get_local_id(0) == 0) local_count = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint before = atomic_add(&counters->total, k);
  atomic_max(&counters->extremes[0], (int)k);
  atomic_min(&counters->extremes[1], -(int)k);
  atomic_and(&flags[k], 3u);
  atomic_or(&flags[k], before);
  atomic_xor(&flags[k + 1u], 1u);
  atomic_sub(&local_count, 1u);
  atomic_xchg(&flags[0], *(volatile __local uint*)&local_count);
  const uint old = atomic_xchg(&flags[2], 7u);
  atomic_xchg(&flags[3], old);
}

__attribute__((reqd_work_group_size(32, 1, 1)))
__kernel void dots(__global const uint* restrict a, __global int* sums, ulong a_offset, ulong sums_offset) {
  a = (__global const uint*)((__global const uchar*)a + a_offset);
  sums = (__global int*)((__global uchar*)sums + sums_offset);
  const uint3 id = (uint3)(get_global_id(0), get_global_id(1), get_global_id(2));
  sums[id.x] = dot_4x8packed_ss_int(a[0], a[id.x]) + 1;
}

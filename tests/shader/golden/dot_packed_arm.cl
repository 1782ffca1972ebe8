#pragma OPENCL EXTENSION cl_arm_integer_dot_product_int8 : enable

static int dot_4x8_mixed(uint a, uint b) {
  return as_int(a & 255u) * (as_int(b << 24) >> 24) + as_int((a >> 8) & 255u) * (as_int(b << 16) >> 24) + as_int((a >> 16) & 255u) * (as_int(b << 8) >> 24) + as_int((a >> 24) & 255u) * (as_int(b) >> 24);
}

__attribute__((reqd_work_group_size(32, 1, 1)))
__kernel void dots(__global const uint* restrict a, __global int* sums, ulong a_offset, ulong sums_offset) {
  a = (__global const uint*)((__global const uchar*)a + a_offset);
  sums = (__global int*)((__global uchar*)sums + sums_offset);
  const uint3 id = (uint3)(get_global_id(0), get_global_id(1), get_global_id(2));
  sums[id.x] = arm_dot(as_char4(a[0]), as_char4(a[id.x])) + 1 + dot_4x8_mixed(a[1], a[id.x]) + (int)arm_dot(as_uchar4(a[2]), as_uchar4(a[id.x]));
}

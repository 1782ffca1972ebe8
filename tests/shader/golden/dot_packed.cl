static int dot_4x8_signed(uint a, uint b) {
  int4 p = convert_int4(as_char4(a)) * convert_int4(as_char4(b));
  return p.x + p.y + p.z + p.w;
}

static uint dot_4x8_unsigned(uint a, uint b) {
  uint4 p = convert_uint4(as_uchar4(a)) * convert_uint4(as_uchar4(b));
  return p.x + p.y + p.z + p.w;
}

__attribute__((reqd_work_group_size(32, 1, 1)))
__kernel void dots(__global const uint* restrict a, __global int* sums, __global uint* usums, ulong a_offset,
                   ulong sums_offset, ulong usums_offset) {
  a = (__global const uint*)((__global const uchar*)a + a_offset);
  sums = (__global int*)((__global uchar*)sums + sums_offset);
  usums = (__global uint*)((__global uchar*)usums + usums_offset);
  const uint3 id = (uint3)(get_global_id(0), get_global_id(1), get_global_id(2));
  int sum = 0;
  for (uint k = 0u; k < 16u; k++) {
    sum = (int)((uint)sum + dot_4x8_signed(a[k], a[id.x + k]));
  }
  sums[id.x] = sum;
  usums[id.x] = dot_4x8_unsigned(a[0], a[id.x]);
}

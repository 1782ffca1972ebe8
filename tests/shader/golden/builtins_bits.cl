static uint2 count_trailing_zeros_uint2(uint2 x) {
  return 32 - clz(~x & (x - 1));
}

static uint2 first_trailing_bit_uint2(uint2 x) {
  uint2 bits = as_uint2(x);
  return as_uint2(31 - clz(bits & -bits));
}

static uint2 reverse_bits_uint2(uint2 e) {
  uint2 x = as_uint2(e);
  x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
  x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
  x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
  x = ((x >> 8) & 0x00ff00ffu) | ((x & 0x00ff00ffu) << 8);
  return as_uint2((x >> 16) | (x << 16));
}

static uint2 extract_bits_uint2(uint2 e, uint offset, uint count) {
  uint o = min(offset, 32u);
  uint c = min(count, 32u - o);
  return c == 0u ? (uint2)(0) : (e << (32u - c - o)) >> (32u - c);
}

static uint2 insert_bits_uint2(uint2 e, uint2 bits, uint offset, uint count) {
  uint o = min(offset, 32u);
  uint c = min(count, 32u - o);
  uint mask = c == 0u ? 0u : (0xffffffffu >> (32u - c)) << o;
  return as_uint2((as_uint2(e) & ~mask) | ((as_uint2(bits) << o) & mask));
}

static uint count_trailing_zeros_uint(uint x) {
  return 32 - clz(~x & (x - 1));
}

static int first_leading_bit_int(int x) {
  return 31 - clz(x ^ (x >> 31));
}

static int first_trailing_bit_int(int x) {
  uint bits = as_uint(x);
  return as_int(31 - clz(bits & -bits));
}

static int reverse_bits_int(int e) {
  uint x = as_uint(e);
  x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
  x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
  x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
  x = ((x >> 8) & 0x00ff00ffu) | ((x & 0x00ff00ffu) << 8);
  return as_int((x >> 16) | (x << 16));
}

static int extract_bits_int(int e, uint offset, uint count) {
  uint o = min(offset, 32u);
  uint c = min(count, 32u - o);
  return c == 0u ? (int)(0) : (e << (32u - c - o)) >> (32u - c);
}

static int insert_bits_int(int e, int bits, uint offset, uint count) {
  uint o = min(offset, 32u);
  uint c = min(count, 32u - o);
  uint mask = c == 0u ? 0u : (0xffffffffu >> (32u - c)) << o;
  return as_int((as_uint(e) & ~mask) | ((as_uint(bits) << o) & mask));
}

__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void bits(__global int* i, __global uint2* u, ulong i_offset, ulong u_offset) {
  i = (__global int*)((__global uchar*)i + i_offset);
  u = (__global uint2*)((__global uchar*)u + u_offset);
  u[1] = popcount(u[0]) + clz(u[0]) + count_trailing_zeros_uint2(u[0]);
  u[2] = 31u - clz(u[0]) + first_trailing_bit_uint2(u[0]);
  u[3] = reverse_bits_uint2(u[0]);
  u[4] = extract_bits_uint2(u[0], 4u, 8u);
  u[5] = insert_bits_uint2(u[0], u[1], 8u, 4u);
  i[1] = popcount(i[0]) + clz(i[0]) + as_int(count_trailing_zeros_uint(as_uint(i[0])));
  i[2] = (int)((uint)first_leading_bit_int(i[0]) + first_trailing_bit_int(i[0]));
  i[3] = reverse_bits_int(i[0]);
  i[4] = extract_bits_int(i[0], 4u, 8u);
  i[5] = insert_bits_int(i[0], i[1], 8u, 4u);
}

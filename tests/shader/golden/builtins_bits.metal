#include <metal_stdlib>

using namespace metal;

static uint2 first_trailing_bit_uint2(uint2 x) {
  return select(ctz(x), uint2(-1), x == uint2(0));
}

static uint2 first_leading_bit_uint2(uint2 x) {
  return uint2(31) - clz(x);
}

static uint2 extract_bits_of_uint2(uint2 x, uint offset, uint count) {
  const uint start = min(offset, 32u);
  const uint bits = min(count, 32u - start);
  return bits == 0u ? uint2(0) : extract_bits(x, start, bits);
}

static uint2 insert_bits_in_uint2(uint2 x, uint2 inserted, uint offset, uint count) {
  const uint start = min(offset, 32u);
  const uint bits = min(count, 32u - start);
  return bits == 0u ? x : insert_bits(x, inserted, start, bits);
}

static int first_leading_bit_int(int x) {
  return int(31) - clz(x ^ (x >> int(31)));
}

static int first_trailing_bit_int(int x) {
  return select(ctz(x), int(-1), x == int(0));
}

static int extract_bits_of_int(int x, uint offset, uint count) {
  const uint start = min(offset, 32u);
  const uint bits = min(count, 32u - start);
  return bits == 0u ? int(0) : extract_bits(x, start, bits);
}

static int insert_bits_in_int(int x, int inserted, uint offset, uint count) {
  const uint start = min(offset, 32u);
  const uint bits = min(count, 32u - start);
  return bits == 0u ? x : insert_bits(x, inserted, start, bits);
}

[[max_total_threads_per_threadgroup(1)]]
kernel void bits(device int* i [[buffer(0)]], device uint2* u [[buffer(1)]]) {
  u[1] = popcount(u[0]) + clz(u[0]) + ctz(u[0]);
  u[2] = first_leading_bit_uint2(u[0]) + first_trailing_bit_uint2(u[0]);
  u[3] = reverse_bits(u[0]);
  u[4] = extract_bits_of_uint2(u[0], 4u, 8u);
  u[5] = insert_bits_in_uint2(u[0], u[1], 8u, 4u);
  i[1] = popcount(i[0]) + clz(i[0]) + ctz(i[0]);
  i[2] = (int)((uint)first_leading_bit_int(i[0]) + first_trailing_bit_int(i[0]));
  i[3] = reverse_bits(i[0]);
  i[4] = extract_bits_of_int(i[0], 4u, 8u);
  i[5] = insert_bits_in_int(i[0], i[1], 8u, 4u);
}

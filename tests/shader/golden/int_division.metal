#include <metal_stdlib>

using namespace metal;

static int divide_int(int a, int b) {
  return a / (b == 0 || (a == int(0x80000000u) && b == -1) ? 1 : b);
}

static int remainder_int(int a, int b) {
  return a % (b == 0 || (a == int(0x80000000u) && b == -1) ? 1 : b);
}

static uint divide_uint(uint a, uint b) {
  return a / (b == 0 ? 1 : b);
}

static int4 divide_int4(int4 a, int4 b) {
  return a / select(b, int4(1), (b == 0) | ((a == int(0x80000000u)) & (b == -1)));
}

static int4 remainder_int4(int4 a, int4 b) {
  return a % select(b, int4(1), (b == 0) | ((a == int(0x80000000u)) & (b == -1)));
}

static uint4 divide_uint4(uint4 a, uint4 b) {
  return a / select(b, uint4(1), b == 0);
}

static uint remainder_uint(uint a, uint b) {
  return a % (b == 0 ? 1 : b);
}

[[max_total_threads_per_threadgroup(1)]]
kernel void division(device int* x [[buffer(0)]], device uint* u [[buffer(1)]], device int4* v [[buffer(2)]],
                     device uint4* w [[buffer(3)]]) {
  x[2] = divide_int(x[0], x[1]);
  x[3] = remainder_int(x[0], x[1]);
  x[4] = x[0] / 7;
  x[5] = divide_int(x[0], -1);
  x[6] = x[0] % 8;
  u[2] = divide_uint(u[0], u[1]);
  u[3] = u[0] % max(u[1], 1u);
  u[4] = u[0] / (u[1] | 1u);
  v[2] = divide_int4(v[0], v[1]);
  v[3] = v[0] % 5;
  v[4] = remainder_int4(v[0], int4(x[1]));
  w[2] = divide_uint4(w[0], w[1]);
  x[6] = divide_int(x[6], x[1]);
  u[5] = remainder_uint(u[5], u[1]);
}

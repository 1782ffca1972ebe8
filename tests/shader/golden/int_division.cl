static int divide_int(int a, int b) {
  return a / (b == 0 || (a == INT_MIN && b == -1) ? 1 : b);
}

static int remainder_int(int a, int b) {
  return a % (b == 0 || (a == INT_MIN && b == -1) ? 1 : b);
}

static uint divide_uint(uint a, uint b) {
  return a / (b == 0 ? 1 : b);
}

static int4 divide_int4(int4 a, int4 b) {
  return a / select(b, (int4)(1), (b == 0) | ((a == INT_MIN) & (b == -1)));
}

static int4 remainder_int4(int4 a, int4 b) {
  return a % select(b, (int4)(1), (b == 0) | ((a == INT_MIN) & (b == -1)));
}

static uint4 divide_uint4(uint4 a, uint4 b) {
  return a / select(b, (uint4)(1), b == 0);
}

static uint remainder_uint(uint a, uint b) {
  return a % (b == 0 ? 1 : b);
}

__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void division(__global int* x, __global uint* u, __global int4* v, __global uint4* w, ulong x_offset,
                       ulong u_offset, ulong v_offset, ulong w_offset) {
  x = (__global int*)((__global uchar*)x + x_offset);
  u = (__global uint*)((__global uchar*)u + u_offset);
  v = (__global int4*)((__global uchar*)v + v_offset);
  w = (__global uint4*)((__global uchar*)w + w_offset);
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
  v[4] = remainder_int4(v[0], (int4)(x[1]));
  w[2] = divide_uint4(w[0], w[1]);
  x[6] = divide_int(x[6], x[1]);
  u[5] = remainder_uint(u[5], u[1]);
}

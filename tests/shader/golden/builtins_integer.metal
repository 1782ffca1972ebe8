#include <metal_stdlib>

using namespace metal;

static int4 abs_int4(int4 x) {
  return int4(select(uint4(x), -uint4(x), x < int4(0)));
}

static int abs_int(int x) {
  return int(select(uint(x), -uint(x), x < int(0)));
}

static int dot_int4(int4 a, int4 b) {
  uint4 p = as_type<uint4>(a) * as_type<uint4>(b);
  return p.x + p.y + p.z + p.w;
}

static uint dot_uint3(uint3 a, uint3 b) {
  uint3 p = a * b;
  return p.x + p.y + p.z;
}

[[max_total_threads_per_threadgroup(1)]]
kernel void integers(device int4* i [[buffer(0)]], device uint4* u [[buffer(1)]], device int* s [[buffer(2)]]) {
  i[1] = as_type<int4>(as_type<uint4>(abs_int4(i[0])) + as_type<uint4>(clamp(i[2], int4(-1), int4(1))));
  i[2] = as_type<int4>(as_type<uint4>(min(i[0], i[1])) + as_type<uint4>(max(i[0], int4(3))));
  i[3] = clamp(i[0], int4(-8), int4(7));
  i[4] = min(max(i[0], i[1]), i[2]);
  u[1] = u[0];
  s[0] = (int)((uint)abs_int(s[1]) + clamp(s[2], int(-1), int(1)));
  s[3] = dot_int4(i[0], i[1]);
  u[2].x = dot_uint3(u[0].xyz, u[1].xyz);
}

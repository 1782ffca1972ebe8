#include <metal_stdlib>

using namespace metal;

static int4 saturated_int4(float4 x) {
  return select(int4(select(fmin(fmax(x, float4(-2147483648.0f)), float4(2147483520.0f)), float4(0.0f), x != x)), int4(2147483647), x >= float4(2147483648.0f));
}

static uint4 saturated_uint4(float4 x) {
  return select(uint4(fmin(fmax(x, float4(0.0f)), float4(4294967040.0f))), uint4(4294967295u), x >= float4(4294967296.0f));
}

[[max_total_threads_per_threadgroup(1)]]
kernel void conversions(device float4* f [[buffer(0)]], device int4* i [[buffer(1)]], device uint4* u [[buffer(2)]]) {
  i[0] = saturated_int4(f[0]);
  u[0] = saturated_uint4(f[1]);
  f[2] = float4(i[1]);
  f[3] = float4(u[1]);
  i[2] = int4(u[2]);
  f[4] = select(float4(0), float4(1), f[0] > float4(0.0f));
  i[4] = select(int4(0), int4(1), i[0] == int4(3));
  u[4] = select(uint4(0), uint4(1), u[5] != uint4(0u));
  f[5] = select(f[0], f[1], bool4(i[5]));
  f[8] = as_type<float4>(u[5]);
  u[6] = as_type<uint4>(f[9]);
}

#include <metal_stdlib>

using namespace metal;

static int saturated_int(float x) {
  return select(int(select(fmin(fmax(x, float(-2147483648.0f)), float(2147483520.0f)), float(0.0f), x != x)), int(2147483647), x >= float(2147483648.0f));
}

static uint saturated_uint(float x) {
  return select(uint(fmin(fmax(x, float(0.0f)), float(4294967040.0f))), uint(4294967295u), x >= float(4294967296.0f));
}

[[max_total_threads_per_threadgroup(1)]]
kernel void conversions(device float* f [[buffer(0)]], device int* i [[buffer(1)]], device uint* u [[buffer(2)]]) {
  i[0] = saturated_int(f[0]);
  u[0] = saturated_uint(f[1]);
  f[2] = float(i[1]);
  f[3] = float(u[1]);
  i[2] = int(u[2]);
  u[3] = i[3] + 1u;
  f[4] = float(f[0] > 0.0f);
  i[4] = int(i[0] == 3);
  f[5] = bool(u[4]) ? 2.0f : 1.0f;
  f[6] = bool(f[7]) ? 2.0f : 1.0f;
  f[8] = as_type<float>(u[5]);
  u[6] = as_type<uint>(f[9] + 1.0f);
  i[5] = as_type<int>(u[7]);
}

#include <metal_stdlib>

using namespace metal;

struct Pair {
  float4 a;
  uint b;
};

static uint saturated_uint(float x) {
  return select(uint(fmin(fmax(x, float(0.0f)), float(4294967040.0f))), uint(4294967295u), x >= float(4294967296.0f));
}

[[max_total_threads_per_threadgroup(1)]]
kernel void zeroes(device float4* y [[buffer(0)]]) {
  float s = 0.0f;
  float4 v = float4(0.0f);
  Pair p = {};
  float a[100] = {};
  for (uint i = 0u; i < 100u; i++) {
    a[i] += s;
    s += float(p.b);
    v += p.a;
    p.a = v;
    p.b = i;
  }
  y[0] = v + a[saturated_uint(s)];
}

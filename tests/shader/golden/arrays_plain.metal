#include <metal_stdlib>

using namespace metal;

static uint saturated_uint(float x) {
  return select(uint(fmin(fmax(x, float(0.0f)), float(4294967040.0f))), uint(4294967295u), x >= float(4294967296.0f));
}

[[max_total_threads_per_threadgroup(1)]]
kernel void arrays(device const float* x [[buffer(0)]], device float* y [[buffer(1)]]) {
  float a[8] = {};
  float b[3] = {1.0f, 2.0f, 3.0f};
  float4 grid[4][2] = {};
  for (uint i = 0u; i < 8u; i++) {
    a[i] = x[i] * b[i % 3u];
    grid[i / 2u][i % 2u] = float4(a[i]);
    b[i % 3u] = 0.5f;
  }
  y[0] = a[saturated_uint(x[0])] + grid[saturated_uint(x[1])][1].w;
}

#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(1)]]
kernel void arrays(device float* y [[buffer(0)]]) {
  float a[2] = {y[0], y[1]};
  float b_0 = y[2];
  const float b_1 = y[3];
  for (uint i = 0u; i < 2u; i++) {
    a[i] += b_1;
    b_0 += 1.0f;
  }
  y[4] = a[0] + b_0;
}

#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(1)]]
kernel void floats(device float* y [[buffer(0)]]) {
  y[0] = 0.0f;
  y[1] = -0.0f;
  y[2] = 1e-45f;
  y[3] = 3.4028235e38f;
  y[4] = 0.1f;
  y[5] = 1e5f;
  y[6] = 1e10f;
  y[7] = 0.1875f;
}

#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(1)]]
kernel void grid(device const float* x [[buffer(0)]], device float* y [[buffer(1)]]) {
  const float g_0_0 = x[0];
  const float g_0_1 = x[1];
  const float g_1_0 = x[2];
  const float g_1_1 = x[3];
  y[0] = g_0_0 * g_1_1 - g_0_1 * g_1_0;
}

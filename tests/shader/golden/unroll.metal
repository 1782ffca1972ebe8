#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(64)]]
kernel void unrolled(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],
                     uint3 id [[thread_position_in_grid]]) {
  float sum = 0.0f;
  sum += x[id.x];
  sum += x[id.x + 1u] * 2.0f;
  sum += x[id.x + 2u] * 3.0f;
  y[id.x] = sum;
}

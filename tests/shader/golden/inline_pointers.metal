#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(64)]]
kernel void moments(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],
                    uint3 id [[thread_position_in_grid]]) {
  float2 sum_1 = float2(0.0f);
  for (uint i = 0u; i < 8u; i++) {
    const uint at_1 = id.x + i;
    sum_1.x += x[at_1];
    sum_1.y += x[at_1] * x[at_1];
    const uint at_2 = id.x * i;
    sum_1.x += x[at_2];
    sum_1.y += x[at_2] * x[at_2];
  }
  y[id.x] = sum_1.x * sum_1.y;
}

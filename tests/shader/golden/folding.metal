#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(8)]]
kernel void folding(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],
                    uint3 id [[thread_position_in_grid]]) {
  const float v = x[id.x];
  y[id.x + 3u] = v;
  y[id.x * 8u] = v;
  y[id.x] = v + 5.0f;
  y[id.x] = 8.5f;
  y[id.x] = v;
}

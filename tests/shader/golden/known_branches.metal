#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(64)]]
kernel void stages(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],
                   uint3 id [[thread_position_in_grid]]) {
  float v = x[id.x];
  v *= 2.0f;
  v += 1.0f;
  y[id.x] = v;
}

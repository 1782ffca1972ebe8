#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(64)]]
kernel void dead(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],
                 uint3 id [[thread_position_in_grid]]) {
  y[id.x] = x[id.x];
}

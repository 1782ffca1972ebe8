#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(16)]]
kernel void scale(device const float4* x [[buffer(0)]], device float4* y [[buffer(1)]],
                  uint3 id [[thread_position_in_grid]]) {
  const float4 v = x[id.x * 4u + id.y] * 3.0f;
  y[id.x * 4u + id.y] = v;
}

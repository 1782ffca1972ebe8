#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(32)]]
kernel void double_(device const float4* x [[buffer(0)]], device float4* y [[buffer(1)]],
                    uint3 id [[thread_position_in_grid]]) {
  if (id.x >= 3u || id.y >= 5u || id.z >= 3u) {
    return;
  }
  for (uint b = 0u; b < 2u; b++) {
    y[((id.x * 3u + id.z) * 5u + id.y) * 2u + b] = x[((id.x * 3u + id.z) * 5u + id.y) * 2u + b] * 2.0f;
  }
}

#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(32)]]
kernel void double_(device const half4* x [[buffer(0)]], device half4* y [[buffer(1)]],
                    uint3 id [[thread_position_in_grid]]) {
  const float4 v = float4(x[(id.x * 3u + id.z) * 5u + id.y]);
  y[(id.x * 3u + id.z) * 5u + id.y] = half4(v * 2.0f);
}

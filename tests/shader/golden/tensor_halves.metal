#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(64)]]
kernel void tensor_halves(device const half4* x [[buffer(0)]], device float4* y [[buffer(1)]],
                          uint3 at [[thread_position_in_grid]]) {
  const uint2 words = ((device const uint2*)x)[(at.x % 4u * 3u + at.y) * 5u + at.x / 4u];
  const float4 value = float4(float2(as_type<half2>(words.x)), float2(as_type<half2>(words.y)));
  y[(at.x % 4u * 3u + at.y) * 5u + at.x / 4u] = value + float4(x[0]);
}

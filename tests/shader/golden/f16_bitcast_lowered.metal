#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(64)]]
kernel void scales(device const uint* words [[buffer(0)]], device float* y [[buffer(1)]],
                   device uint* back [[buffer(2)]], uint3 id [[thread_position_in_grid]]) {
  const float2 pair = float2(as_type<half2>(words[id.x]));
  y[id.x] = pair.x * float(words[id.x + 1u] & 15u) + pair.y;
  back[id.x] = as_type<uint>(half2(pair * 2.0f));
  const float4 four = float4(float2(as_type<half2>(words[0])), float2(as_type<half2>(words[1])));
  y[0] = four.w;
}

#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(1)]]
kernel void geometry(device const float4* x [[buffer(0)]], device float4* y [[buffer(1)]]) {
  const float4 a = x[0];
  const float4 b = x[1];
  y[0] = float4(dot(a, b), length(a), distance(a, b), dot(a.xy, b.zw));
  y[1] = normalize(a);
  y[2] = float4(cross(a.xyz, b.xyz), 1.0f);
}

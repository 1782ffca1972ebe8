#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(1)]]
kernel void subgroups(device float4* y [[buffer(0)]]) {
  const float4 v = y[0] + y[1];
  y[0] = v + float4(0.0f) + 1.0f;
}

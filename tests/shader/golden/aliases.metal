#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(1)]]
kernel void aliased(device float2 (*y)[3] [[buffer(0)]]) {
  y[0][1] = float2(0.0f) + y[1][2];
}

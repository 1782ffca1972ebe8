#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(64)]]
kernel void arithmetic(device const float4* x [[buffer(0)]], device float4* y [[buffer(1)]],
                       uint3 id [[thread_position_in_grid]]) {
  const float4 a = x[id.x];
  const float4 b = x[id.x + 1u];
  y[0] = a + b * a.x - 2.0f / a;
  y[1] = -(a - (b - a.x));
  y[2] = fmod(a, b);
  y[3] = fmod(a, float4(a.x));
  y[4] = a;
}

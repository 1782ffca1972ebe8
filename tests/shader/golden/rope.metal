#include <metal_stdlib>

using namespace metal;

struct Parameters {
  uint start;
};

[[max_total_threads_per_threadgroup(64)]]
kernel void rotate_pairs(device const half4* x [[buffer(0)]], device half4* y [[buffer(1)]],
                         constant Parameters* parameters [[buffer(2)]], uint3 id [[thread_position_in_grid]]) {
  if (id.x >= 8u || id.y >= 8u) {
    return;
  }
  const float position = float(parameters->start + id.y);
  const float4 channel = float4(uint4(id.x * 4u) + uint4(0u, 1u, 2u, 3u));
  const float4 angle = position * precise::pow(float4(10000.0f), -2.0f * channel / 64.0f);
  const float4 low = float4(x[id.x * 8u + id.y]);
  const float4 high = float4(x[(id.x + 8u) * 8u + id.y]);
  y[id.x * 8u + id.y] = half4(low * precise::cos(angle) - high * precise::sin(angle));
  y[(id.x + 8u) * 8u + id.y] = half4(low * precise::sin(angle) + high * precise::cos(angle));
}

#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(1)]]
kernel void norm(device const float4* x [[buffer(0)]], device float4* y [[buffer(1)]],
                 uint3 at [[threadgroup_position_in_grid]], uint3 local [[thread_position_in_threadgroup]]) {
  float squares = 0.0f;
  for (uint s = local.x; s < 144u; s++) {
    const float4 v = x[s * 4u + at.x];
    squares += dot(v, v);
  }
  const float scale = precise::rsqrt(squares);
  for (uint s_1 = local.x; s_1 < 144u; s_1++) {
    y[s_1 * 4u + at.x] = x[s_1 * 4u + at.x] * scale;
  }
}

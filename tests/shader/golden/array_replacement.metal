#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(64)]]
kernel void accumulate(device const float4* x [[buffer(0)]], device float4* y [[buffer(1)]],
                       uint3 id [[thread_position_in_grid]]) {
  float4 acc_0 = float4(0.0f);
  float4 acc_1 = float4(0.0f);
  float4 acc_2 = float4(0.0f);
  float4 acc_3 = float4(0.0f);
  for (uint k = 0u; k < 8u; k++) {
    const uint at_1 = k * 4u;
    const float4 chunk_2_0 = x[at_1];
    const float4 chunk_2_1 = x[at_1 + 1u];
    const float4 chunk_2_2 = x[at_1 + 2u];
    const float4 chunk_2_3 = x[at_1 + 3u];
    acc_0 += chunk_2_0;
    acc_1 += chunk_2_1;
    acc_2 += chunk_2_2;
    acc_3 += chunk_2_3;
  }
  const float4 sum = acc_0 + acc_1 + acc_2 + acc_3;
  y[id.x] = sum;
}

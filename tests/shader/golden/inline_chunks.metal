#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(64)]]
kernel void matvec(device const uint* words [[buffer(0)]], device const float4* x [[buffer(1)]],
                   device float* y [[buffer(2)]], uint3 id [[thread_position_in_grid]]) {
  float sum = 0.0f;
  for (uint block_1 = 0u; block_1 < 16u; block_1++) {
    const uint block_2 = id.x * 16u + block_1;
    const float scale_1 = float(words[block_2 * 3u]) * 0.125f;
    const uint word_4 = words[block_2 * 3u + 1u];
    const float4 chunk_2_0 = (float4((uint4(word_4) >> uint4(0u, 8u, 16u, 24u)) & uint4(15u)) - 8.0f) * scale_1;
    const float4 chunk_2_2 = (float4((uint4(word_4) >> uint4(4u, 12u, 20u, 28u)) & uint4(15u)) - 8.0f) * scale_1;
    const uint word_5 = words[block_2 * 3u + 2u];
    const float4 chunk_2_1 = (float4((uint4(word_5) >> uint4(0u, 8u, 16u, 24u)) & uint4(15u)) - 8.0f) * scale_1;
    const float4 chunk_2_3 = (float4((uint4(word_5) >> uint4(4u, 12u, 20u, 28u)) & uint4(15u)) - 8.0f) * scale_1;
    sum += dot(chunk_2_0, x[block_1 * 4u]);
    sum += dot(chunk_2_1, x[block_1 * 4u + 1u]);
    sum += dot(chunk_2_2, x[block_1 * 4u + 2u]);
    sum += dot(chunk_2_3, x[block_1 * 4u + 3u]);
  }
  y[id.x] = sum;
}

#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(32)]]
kernel void loads_issued(device const uint4* w [[buffer(0)]], device uint* y [[buffer(1)]],
                         uint k [[thread_index_in_threadgroup]]) {
  uint sum = 0u;
  const uint4 words_2 = w[k];
  uint4 next = words_2;
  for (uint i_1 = 1u; i_1 < 8u; i_1++) {
    const uint4 words_1 = next;
    const uint i_2 = i_1 * 32u + k;
    const uint4 words_3 = w[i_2];
    next = words_3;
    sum += (words_1.x + words_1.y * words_1.z) ^ words_1.w;
  }
  y[k] = sum + next.x;
}

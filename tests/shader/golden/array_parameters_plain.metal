#include <metal_stdlib>

using namespace metal;

static float total(threadgroup float (*values)[16], uint n) {
  float sum = 0.0f;
  for (uint i = 0u; i < n; i++) {
    if ((*values)[i] < 0.0f) {
      return sum;
    }
    sum += (*values)[i];
  }
  return sum;
}

static float both(uint n_1, device float* y, threadgroup float* tile) {
  for (uint i_1 = 0u; i_1 < n_1; i_1++) {
    if (y[i_1] > 3.0f) {
      return total((threadgroup float (*)[16])tile, i_1);
    }
  }
  return total((threadgroup float (*)[16])tile, n_1);
}

[[max_total_threads_per_threadgroup(16)]]
kernel void sums(device float* y [[buffer(0)]], uint k [[thread_index_in_threadgroup]]) {
  threadgroup float tile[16];
  tile[k] = y[k];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  y[k] = both(k, y, tile) + both(k + 1u, y, tile);
}

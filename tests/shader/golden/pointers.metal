#include <metal_stdlib>

using namespace metal;

static void accumulate(thread float* sum, uint steps, thread uint* n, threadgroup float (*s)[64], device float* y) {
  for (uint i = 0u; i < steps; i++) {
    if (y[i] < 0.0f) {
      return;
    }
    *sum += y[i] * (*s)[i];
    (*n)++;
  }
}

[[max_total_threads_per_threadgroup(64)]]
kernel void pointers(device float* y [[buffer(0)]], uint k [[thread_index_in_threadgroup]]) {
  threadgroup float shared_sum[64];
  uint counter = 0u;
  shared_sum[k] = y[k];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float sum_1 = 0.0f;
  accumulate(&sum_1, k, &counter, &shared_sum, y);
  accumulate(&sum_1, 3u, &counter, &shared_sum, y);
  y[k] = sum_1 + float(counter);
}

#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(128)]]
kernel void overridden(device float* y [[buffer(0)]], uint k [[thread_index_in_threadgroup]]) {
  threadgroup float tile[64];
  for (uint i = k; i < 64u; i += 128u) tile[i] = 0;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (k < 64u) {
    tile[k] = y[k] * 0.5f;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  y[k] = tile[k % 64u] + 128.0f;
}

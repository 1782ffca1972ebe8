#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(32)]]
kernel void workgroup_memory(device float4* y [[buffer(0)]], uint k [[thread_index_in_threadgroup]]) {
  threadgroup float4 tile[40];
  threadgroup uint count;
  for (uint i = k; i < 40u; i += 32u) tile[i] = float4(0);
  if (k == 0) count = 0;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (k < 20u) {
    tile[k] = y[k];
    count = 20u;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  y[k] = tile[(k + 7u) % 40u] * float(count);
}

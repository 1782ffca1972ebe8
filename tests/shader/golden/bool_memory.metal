#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(32)]]
kernel void flags(device uint* y [[buffer(0)]], uint k [[thread_index_in_threadgroup]]) {
  threadgroup bool seen[32];
  bool last = false;
  seen[k] = y[k] > 7u;
  last = seen[k] && y[k] < 100u;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  y[k] = uint(seen[31u - k] || last);
}

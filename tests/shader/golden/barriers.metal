#include <metal_stdlib>

using namespace metal;

static uint saturated_uint(float x) {
  return select(uint(fmin(fmax(x, float(0.0f)), float(4294967040.0f))), uint(4294967295u), x >= float(4294967296.0f));
}

static uint uniform_load_uint(threadgroup uint* p) {
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const uint value = *p;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  return value;
}

[[max_total_threads_per_threadgroup(32)]]
kernel void barriers(device float* y [[buffer(0)]], uint k [[thread_index_in_threadgroup]]) {
  threadgroup float tile[32];
  threadgroup uint limit;
  tile[k] = y[k];
  if (k == 0u) {
    limit = saturated_uint(y[0]);
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  y[k] = tile[31u - k];
  threadgroup_barrier(mem_flags::mem_device);
  const uint n = uniform_load_uint(&limit);
  for (uint i = 0u; i < n; i++) {
    y[k] += tile[i];
  }
}

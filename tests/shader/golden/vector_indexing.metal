#include <metal_stdlib>

using namespace metal;

static float component_float4(float4 v, uint i) {
  return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
}

[[max_total_threads_per_threadgroup(4)]]
kernel void indexing(device float4* v [[buffer(0)]], uint k [[thread_index_in_threadgroup]]) {
  threadgroup float4 shared_vector;
  if (k == 0) shared_vector = float4(0);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float4 a = v[0];
  float4 b = v[1];
  b[k] = component_float4(a, k);
  v[k].z = a.w;
  ((device float*)&v[2])[k] = ((device float*)&v[1])[k];
  ((threadgroup float*)&shared_vector)[k] = component_float4(b, k);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  v[3] = shared_vector + b;
}

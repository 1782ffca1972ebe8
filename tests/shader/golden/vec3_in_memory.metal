#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(4)]]
kernel void points(device const float3* p [[buffer(0)]], device float3* q [[buffer(1)]],
                   uint k [[thread_index_in_threadgroup]]) {
  threadgroup uint3 w[4];
  w[k] = uint3(k, k * 2u, 7u);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  q[k] = p[k] * 2.0f + float3(w[3u - k]);
  q[k].y = dot(p[k], p[k + 1u]);
}

#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(64)]]
kernel void subgroups(device float* y [[buffer(0)]], device float4* v [[buffer(1)]], device uint* u [[buffer(2)]],
                      uint k [[thread_index_in_threadgroup]], uint lane [[thread_index_in_simdgroup]],
                      uint size [[threads_per_simdgroup]], uint group [[simdgroup_index_in_threadgroup]],
                      uint groups [[simdgroups_per_threadgroup]]) {
  y[k] = simd_sum(y[k]) + simd_max(y[k]) + simd_min(y[k]) + simd_product(y[k]);
  v[k] = simd_sum(v[k]) + simd_shuffle_xor(v[k], ushort(1u));
  y[k] += simd_broadcast(y[k], ushort(3u)) + simd_broadcast_first(y[k]) + simd_shuffle(y[k], ushort(lane ^ 1u));
  y[k] += simd_shuffle_up(y[k], ushort(2u)) + simd_shuffle_down(y[k], ushort(2u));
  u[k] += simd_prefix_exclusive_sum(u[k]) + simd_prefix_inclusive_sum(u[k]) + size + group + groups;
  u[k] += uint(simd_all(u[k] > 3u)) + uint(simd_any(u[k] == 0u));
  if (simd_is_first()) {
    u[0] = 1u;
  }
}

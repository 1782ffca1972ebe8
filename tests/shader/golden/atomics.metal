#include <metal_stdlib>

using namespace metal;

struct Counters {
  atomic_uint total;
  atomic_int extremes[2];
};

[[max_total_threads_per_threadgroup(64)]]
kernel void atomics(device Counters* counters [[buffer(0)]], device atomic_uint* flags [[buffer(1)]],
                    uint k [[thread_index_in_threadgroup]]) {
  threadgroup atomic_uint local_count;
  if (k == 0) atomic_store_explicit(&local_count, 0u, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const uint before = atomic_fetch_add_explicit(&counters->total, k, memory_order_relaxed);
  atomic_fetch_max_explicit(&counters->extremes[0], int(k), memory_order_relaxed);
  atomic_fetch_min_explicit(&counters->extremes[1], -int(k), memory_order_relaxed);
  atomic_fetch_and_explicit(&flags[k], 3u, memory_order_relaxed);
  atomic_fetch_or_explicit(&flags[k], before, memory_order_relaxed);
  atomic_fetch_xor_explicit(&flags[k + 1u], 1u, memory_order_relaxed);
  atomic_fetch_sub_explicit(&local_count, 1u, memory_order_relaxed);
  atomic_store_explicit(&flags[0], atomic_load_explicit(&local_count, memory_order_relaxed), memory_order_relaxed);
  const uint old = atomic_exchange_explicit(&flags[2], 7u, memory_order_relaxed);
  atomic_store_explicit(&flags[3], old, memory_order_relaxed);
}

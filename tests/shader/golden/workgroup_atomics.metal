#include <metal_stdlib>

using namespace metal;

struct Bin {
  atomic_uint count;
  atomic_int least;
};

[[max_total_threads_per_threadgroup(16)]]
kernel void histogram(device uint* y [[buffer(0)]], uint k [[thread_index_in_threadgroup]]) {
  threadgroup Bin bins[8];
  threadgroup Bin one;
  threadgroup atomic_uint counts[4];
  threadgroup atomic_int lowest;
  for (uint i = k; i < 8u; i += 16u) for (uint word = 0u; word < sizeof(bins[i]) / 4u; word++) ((threadgroup uint*)&bins[i])[word] = 0u;
  if (k == 0) for (uint word = 0u; word < sizeof(one) / 4u; word++) ((threadgroup uint*)&one)[word] = 0u;
  for (uint i = k; i < 4u; i += 16u) atomic_store_explicit(&counts[i], 0u, memory_order_relaxed);
  if (k == 0) atomic_store_explicit(&lowest, 0, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  atomic_fetch_add_explicit(&bins[y[k] % 8u].count, 1u, memory_order_relaxed);
  atomic_fetch_min_explicit(&bins[y[k] % 8u].least, -int(k), memory_order_relaxed);
  atomic_fetch_add_explicit(&one.count, atomic_fetch_add_explicit(&counts[k % 4u], 2u, memory_order_relaxed), memory_order_relaxed);
  atomic_fetch_min_explicit(&lowest, -int(k), memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const uint total = atomic_load_explicit(&counts[1], memory_order_relaxed);
  const uint value = atomic_load_explicit(&bins[k % 8u].count, memory_order_relaxed);
  const uint value_1 = -(uint)atomic_load_explicit(&bins[k % 8u].least, memory_order_relaxed);
  const uint value_2 = atomic_load_explicit(&one.count, memory_order_relaxed);
  const uint value_3 = -(uint)atomic_load_explicit(&lowest, memory_order_relaxed);
  y[k] = value + value_1 + value_2 + total + value_3;
}

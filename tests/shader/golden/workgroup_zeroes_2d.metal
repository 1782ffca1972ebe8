#include <metal_stdlib>

using namespace metal;

struct Cell {
  float sum;
  uint n;
};

[[max_total_threads_per_threadgroup(64)]]
kernel void zeroes(device float* y [[buffer(0)]], uint3 local [[thread_position_in_threadgroup]],
                   uint local_index [[thread_index_in_threadgroup]]) {
  threadgroup float grid[8][8];
  threadgroup Cell cells[16];
  threadgroup atomic_uint hits;
  for (uint i = local_index; i < 64u; i += 64u) ((threadgroup float*)&grid)[i] = 0;
  for (uint i = local_index; i < 16u; i += 64u) cells[i] = Cell{};
  if (local_index == 0) atomic_store_explicit(&hits, 0u, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (y[local.x] > 0.0f) {
    grid[local.y][local.x] = 1.0f;
    cells[local.x].sum = 2.0f;
    atomic_fetch_add_explicit(&hits, 1u, memory_order_relaxed);
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float value = grid[local.x][local.y] + cells[local.y].sum;
  const float value_1 = float(atomic_load_explicit(&hits, memory_order_relaxed));
  y[local.x] = value + value_1;
}

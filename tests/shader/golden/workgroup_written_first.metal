#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(64)]]
kernel void tiles(device float* y [[buffer(0)]], uint3 local [[thread_position_in_threadgroup]]) {
  threadgroup float tile[64];
  threadgroup float wide[256];
  threadgroup float total;
  tile[local.x] = y[local.x];
  for (uint i = local.x; i < 256u; i += 64u) {
    wide[i] = y[i] * 2.0f;
  }
  if (local.x == 0u) {
    total = y[0];
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  y[local.x] = tile[63u - local.x] + wide[local.x * 3u] + total;
}

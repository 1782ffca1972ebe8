#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(32)]]
kernel void words_of_weights(device const uint* w [[buffer(0)]], device uint* y [[buffer(1)]],
                             uint3 at [[threadgroup_position_in_grid]],
                             uint3 local [[thread_position_in_threadgroup]]) {
  threadgroup uint shared_sums[64];
  const uint row = at.x * 32u + local.x;
  uint sum = simd_sum(w[row / 32u * 576u + 288u + row % 32u]) + w[row / 32u * 576u + (local.x % 8u / 4u * 128u + row % 32u * 4u + local.x % 8u % 4u + 32u)];
  for (uint unit = 0u; unit < 2u; unit++) {
    const uint4 first = uint4(w[(row / 32u * 2u + unit) * 288u + 32u + row % 32u * 4u], w[(row / 32u * 2u + unit) * 288u + 32u + row % 32u * 4u + 1u], w[(row / 32u * 2u + unit) * 288u + 32u + row % 32u * 4u + 2u], w[(row / 32u * 2u + unit) * 288u + 32u + row % 32u * 4u + 3u]);
    const uint4 second = uint4(w[(row / 32u * 2u + unit) * 288u + 160u + row % 32u * 4u], w[(row / 32u * 2u + unit) * 288u + 160u + row % 32u * 4u + 1u], w[(row / 32u * 2u + unit) * 288u + 160u + row % 32u * 4u + 2u], w[(row / 32u * 2u + unit) * 288u + 160u + row % 32u * 4u + 3u]);
    sum += ((first.x & 983055u) | 1677747200u) + first.w + second.y;
  }
  shared_sums[local.x + 32u] = sum;
  shared_sums[local.x] = sum;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  y[row * 2u + 1u] = shared_sums[63u - local.x];
  y[row * 2u] = shared_sums[(local.x + 1u) % 32u];
}

#include <metal_stdlib>

using namespace metal;

static uint next(thread uint* seed, thread uint* history) {
  for (uint i = 3u; i > 0u; i--) {
    if (history[i] == 7u) {
      return *seed;
    }
    history[i] = history[i - 1u];
  }
  *seed = *seed * 1664525u + 1013904223u;
  history[0] = *seed;
  return *seed;
}

[[max_total_threads_per_threadgroup(32)]]
kernel void random(device uint* y [[buffer(0)]], uint3 id [[thread_position_in_grid]]) {
  uint seed = 12345u;
  uint history[4] = {};
  seed += id.x;
  const uint next_value = next(&seed, history);
  const uint next_value_1 = next(&seed, history);
  y[id.x] = next_value ^ next_value_1 ^ history[id.x % 4u];
}

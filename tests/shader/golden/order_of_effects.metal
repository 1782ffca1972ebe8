#include <metal_stdlib>

using namespace metal;

static uint next(device uint* y, thread uint* state) {
  for (uint i = 0u; i < 2u; i++) {
    if (*state > 100u) {
      return 7u;
    }
    *state += y[i];
  }
  return *state;
}

[[max_total_threads_per_threadgroup(1)]]
kernel void order(device uint* y [[buffer(0)]], device atomic_uint* tickets [[buffer(1)]]) {
  uint state = 0u;
  const uint value = state;
  const uint value_1 = next(y, &state) * 2u;
  y[0] = value - value_1;
  const uint next_value = next(y, &state);
  const uint next_value_1 = next(y, &state);
  y[1] = next_value - next_value_1;
  const uint next_value_2 = next(y, &state);
  const uint next_value_3 = next(y, &state);
  y[2] = y[3] == 0u ? next_value_3 : next_value_2;
  const uint value_2 = atomic_fetch_add_explicit(tickets, 1u, memory_order_relaxed);
  y[value_2] = atomic_fetch_add_explicit(tickets, 2u, memory_order_relaxed);
  if (y[5] > 3u && next(y, &state) > 4u) {
    y[6] = 1u;
  }
}

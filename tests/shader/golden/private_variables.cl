static uint next(uint* seed, uint* history) {
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

__attribute__((reqd_work_group_size(32, 1, 1)))
__kernel void random(__global uint* y, ulong y_offset) {
  y = (__global uint*)((__global uchar*)y + y_offset);
  const uint3 id = (uint3)(get_global_id(0), get_global_id(1), get_global_id(2));
  uint seed = 12345u;
  uint history[4] = {0};
  seed += id.x;
  const uint next_value = next(&seed, history);
  const uint next_value_1 = next(&seed, history);
  y[id.x] = next_value ^ next_value_1 ^ history[id.x % 4u];
}

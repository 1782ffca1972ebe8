static uint next(__global uint* y, uint* state) {
  for (uint i = 0u; i < 2u; i++) {
    if (*state > 100u) {
      return 7u;
    }
    *state += y[i];
  }
  return *state;
}

__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void order(__global uint* y, __global uint* tickets, ulong y_offset, ulong tickets_offset) {
  y = (__global uint*)((__global uchar*)y + y_offset);
  tickets = (__global uint*)((__global uchar*)tickets + tickets_offset);
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
  const uint value_2 = atomic_add(tickets, 1u);
  y[value_2] = atomic_add(tickets, 2u);
  if (y[5] > 3u && next(y, &state) > 4u) {
    y[6] = 1u;
  }
}

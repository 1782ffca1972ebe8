typedef struct {
  uint count;
  float2 items[1];
} List;

static uint size_of_list(uint scale, __global const List* restrict list, uint list_length) {
  uint total = 0u;
  for (uint i = 0u; i < scale; i++) {
    if (total > 10u) {
      return 0u;
    }
    total += list_length;
  }
  return total;
}

__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void lengths(__global const float4* restrict x, __global const List* restrict list, __global uint* y,
                      uint x_length, uint list_length, ulong x_offset, ulong list_offset, ulong y_offset) {
  x = (__global const float4*)((__global const uchar*)x + x_offset);
  list = (__global const List*)((__global const uchar*)list + list_offset);
  y = (__global uint*)((__global uchar*)y + y_offset);
  y[0] = x_length;
  y[1] = size_of_list(3u, list, list_length) + convert_uint_sat_rtz(list->items[2].x) + list->count;
  y[2] = size_of_list(4u, list, list_length);
}

typedef struct {
  float sum;
  uint n;
} Cell;

__attribute__((reqd_work_group_size(8, 8, 1)))
__kernel void zeroes(__global float* y, ulong y_offset) {
  __local float grid[8][8];
  __local Cell cells[16];
  __local uint hits;
  y = (__global float*)((__global uchar*)y + y_offset);
  const uint3 local_ = (uint3)(get_local_id(0), get_local_id(1), get_local_id(2));
  for (uint i = get_local_id(0) + get_local_id(1) * 8; i < 64u; i += 64u) ((__local float*)&grid)[i] = 0;
  for (uint i = get_local_id(0) + get_local_id(1) * 8; i < 16u; i += 64u) cells[i] = (Cell){0};
  if (get_local_id(0) + get_local_id(1) * 8 == 0) hits = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (y[local_.x] > 0.0f) {
    grid[local_.y][local_.x] = 1.0f;
    cells[local_.x].sum = 2.0f;
    atomic_add(&hits, 1u);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const float value = grid[local_.x][local_.y] + cells[local_.y].sum;
  const float value_1 = (float)*(volatile __local uint*)&hits;
  y[local_.x] = value + value_1;
}

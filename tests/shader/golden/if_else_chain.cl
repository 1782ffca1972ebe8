__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void chain(__global int* y, ulong y_offset) {
  y = (__global int*)((__global uchar*)y + y_offset);
  const uint3 id = (uint3)(get_global_id(0), get_global_id(1), get_global_id(2));
  if (id.x < 4u) {
    y[id.x] = 1;
  } else if (id.x < 8u) {
    y[id.x] = 2;
  } else {
    y[id.x] = 3;
  }
  if (id.x > 100u) {
    return;
  }
  if (id.x != 7u) {
    y[0] = 9;
  }
}

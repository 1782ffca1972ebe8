__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void loops(__global uint* y, ulong y_offset) {
  y = (__global uint*)((__global uchar*)y + y_offset);
  uint i = 0u;
  while (true) {
    y[i] = i;
    i++;
    if (i >= 8u) break;
  }
  while (true) {
    if (i == 20u) {
      break;
    }
    i++;
  }
}

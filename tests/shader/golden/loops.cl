__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void loops(__global const uint* restrict x, __global uint* y, ulong x_offset, ulong y_offset) {
  x = (__global const uint*)((__global const uchar*)x + x_offset);
  y = (__global uint*)((__global uchar*)y + y_offset);
  uint sum = 0u;
  for (uint i = 0u; i < x[0]; i++) {
    if (x[i] == 3u) {
      continue;
    }
    if (x[i] == 9u) {
      break;
    }
    sum += x[i];
  }
  uint n = x[1];
  while (n > 1u) {
    n /= 2u;
    sum++;
  }
  for (int i_1 = 10; i_1 > 0; i_1 -= 2) {
    y[i_1] = sum;
  }
  y[0] = sum;
}

__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void conditions(__global uint* y, ulong y_offset) {
  y = (__global uint*)((__global uchar*)y + y_offset);
  uint n = y[0];
  while (n % 2u == 1u || n > 100u) {
    n = n * 3u + 1u;
    if (n == 4u) {
      break;
    }
  }
  while (n < 50u) {
    n += 7u;
  }
  for (uint i = 0u; ; i++) {
    if (i > n) {
      break;
    }
    y[i] = n;
  }
}

__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void nested(__global int* y, ulong y_offset) {
  y = (__global int*)((__global uchar*)y + y_offset);
  for (int i = 0; i < 10; i++) {
    switch (y[i] & 3) {
      case 0: {
        continue;
      }
      case 1: {
        for (int j = 0; j < i; j++) {
          if (y[j] == 5) {
            break;
          }
          y[j] = (int)(y[j] - 1u);
        }
        break;
      }
      default: {
        break;
      }
    }
    y[i] = i;
  }
}

__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void switches(__global int* y, ulong y_offset) {
  y = (__global int*)((__global uchar*)y + y_offset);
  switch (y[0]) {
    case 0: {
      y[1] = 1;
      break;
    }
    case 1: case 2: {
      if (y[2] == 0) {
        break;
      }
      y[1] = 2;
      break;
    }
    case 3: default: {
      y[1] = 3;
      break;
    }
  }
}

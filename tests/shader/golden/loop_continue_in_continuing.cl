__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void loops(__global uint* y, ulong y_offset) {
  y = (__global uint*)((__global uchar*)y + y_offset);
  uint i = 0u;
  bool done = false;
  while (!done) {
    if (y[i] == 5u) {
      i++;
      done = i >= 8u;
      continue;
    }
    switch (y[i]) {
      case 6u: {
        i++;
        done = i >= 8u;
        continue;
      }
      default: {
        y[i] = 1u;
        break;
      }
    }
    y[i] += 2u;
    i++;
    done = i >= 8u;
  }
}

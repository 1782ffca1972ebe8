#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(1)]]
kernel void nested(device int* y [[buffer(0)]]) {
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

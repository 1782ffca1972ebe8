#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(1)]]
kernel void switches(device int* y [[buffer(0)]]) {
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

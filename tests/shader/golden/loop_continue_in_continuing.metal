#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(1)]]
kernel void loops(device uint* y [[buffer(0)]]) {
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

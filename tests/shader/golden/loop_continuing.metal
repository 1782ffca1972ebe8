#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(1)]]
kernel void loops(device uint* y [[buffer(0)]]) {
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

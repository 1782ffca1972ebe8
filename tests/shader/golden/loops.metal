#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(1)]]
kernel void loops(device const uint* x [[buffer(0)]], device uint* y [[buffer(1)]]) {
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

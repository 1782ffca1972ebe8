#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(1)]]
kernel void conditions(device uint* y [[buffer(0)]]) {
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

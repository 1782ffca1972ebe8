#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(64)]]
kernel void unrolled(device uint* y [[buffer(0)]], uint k [[thread_index_in_threadgroup]]) {
  y[6] = k;
  y[3] = k;
  y[0] = k;
  y[k + 1u] += y[k];
  y[k + 2u] += y[k];
  y[k] = 1u;
  y[k + 8u] += y[k];
  if (y[0] != k) {
    y[1] = 0u;
  }
  if (y[1] != k) {
    y[2] = 0u;
  }
}

#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(64)]]
kernel void chain(device int* y [[buffer(0)]], uint3 id [[thread_position_in_grid]]) {
  if (id.x < 4u) {
    y[id.x] = 1;
  } else if (id.x < 8u) {
    y[id.x] = 2;
  } else {
    y[id.x] = 3;
  }
  if (id.x > 100u) {
    return;
  }
  if (id.x != 7u) {
    y[0] = 9;
  }
}

#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(64)]]
kernel void leaky(device float* y [[buffer(0)]], uint3 id [[thread_position_in_grid]]) {
  const float x_1 = y[id.x];
  float activate_result_1 = 0.0f;
  if (x_1 < 0.0f) {
    activate_result_1 = x_1 * 0.1f;
  } else {
    activate_result_1 = x_1;
  }
  const float x_2 = y[id.x + 1u];
  float activate_result_2 = 0.0f;
  if (x_2 < 0.0f) {
    activate_result_2 = x_2 * 0.2f;
  } else {
    activate_result_2 = x_2;
  }
  y[id.x] = activate_result_1 + activate_result_2;
}

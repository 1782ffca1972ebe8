#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(1)]]
kernel void swap_(device float* y [[buffer(0)]]) {
  float p_0 = y[0];
  float p_1 = y[1];
  const float p_0_next = p_1;
  const float p_1_next = p_0;
  p_0 = p_0_next;
  p_1 = p_1_next;
  const float q_0 = p_0;
  const float q_1 = p_1;
  p_0 += q_1;
  y[2] = p_0;
  y[3] = p_1 * q_0;
}

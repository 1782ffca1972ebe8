#include <metal_stdlib>

using namespace metal;

static float component_float3(float3 v, uint i) {
  return i == 0 ? v.x : i == 1 ? v.y : v.z;
}

[[max_total_threads_per_threadgroup(1)]]
kernel void names(device float* global [[buffer(0)]], uint3 local_1 [[thread_position_in_threadgroup]]) {
  const float length_ = global[1];
  const float3 local_2 = float3(global[2]);
  float kernel_1 = length_;
  for (int half_1 = 0; half_1 < 3; half_1++) {
    kernel_1 += component_float3(local_2, half_1) * global[half_1];
  }
  const float fract_ = kernel_1;
  const float3 local_3 = float3(local_1);
  float kernel_2 = fract_;
  for (int half_2 = 0; half_2 < 3; half_2++) {
    kernel_2 += component_float3(local_3, half_2) * global[half_2];
  }
  global[local_1.x] = kernel_2 + precise::sqrt(length_);
}

#include <metal_stdlib>

using namespace metal;

static float workgroup_sum(float value, uint lane, threadgroup float* reduce_scratch) {
  reduce_scratch[lane] = value;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint stride = 32u; stride > 0u; stride /= 2u) {
    if (lane < stride) {
      reduce_scratch[lane] += reduce_scratch[lane + stride];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  const float result = reduce_scratch[0];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  return result;
}

[[max_total_threads_per_threadgroup(64)]]
kernel void sums(device float* y [[buffer(0)]], uint3 local [[thread_position_in_threadgroup]]) {
  threadgroup float reduce_scratch[64];
  const float a = workgroup_sum(y[local.x], local.x, reduce_scratch);
  const float b = workgroup_sum(y[local.x] * a, local.x, reduce_scratch);
  y[local.x] = b;
}

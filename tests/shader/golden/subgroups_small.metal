#include <metal_stdlib>

using namespace metal;

static uint saturated_uint(float x) {
  return select(uint(fmin(fmax(x, float(0.0f)), float(4294967040.0f))), uint(4294967295u), x >= float(4294967296.0f));
}

static float4 total(float4 v, float scale, uint subgroup_index, threadgroup float4* subgroup_values_vec4_f32) {
  subgroup_values_vec4_f32[subgroup_index] = v;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float4 result_1 = subgroup_values_vec4_f32[0];
  for (uint i_2 = 1u; i_2 < 16u; i_2++) {
    result_1 += subgroup_values_vec4_f32[i_2];
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float4 sum = result_1;
  for (uint i = 0u; i < saturated_uint(scale); i++) {
    if (sum.x > 3.0f) {
      return sum;
    }
    sum *= scale;
  }
  return sum;
}

[[max_total_threads_per_threadgroup(16)]]
kernel void subgroups(device float4* y [[buffer(0)]], uint3 local [[thread_position_in_threadgroup]],
                      uint subgroup_index_1 [[thread_index_in_threadgroup]]) {
  threadgroup float4 subgroup_values_vec4_f32[16];
  const float4 total_value = total(y[local.x], 2.0f, subgroup_index_1, subgroup_values_vec4_f32);
  const float4 total_value_1 = total(y[local.x], 3.0f, subgroup_index_1, subgroup_values_vec4_f32);
  y[local.x] = total_value - total_value_1;
}

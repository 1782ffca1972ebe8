#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(64)]]
kernel void subgroups(device float* y [[buffer(0)]], uint k [[thread_index_in_threadgroup]]) {
  threadgroup float subgroup_values_f32[64];
  const float value_2 = y[k];
  subgroup_values_f32[k] = value_2;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const uint first_2 = k - k % 32u;
  float result_2 = subgroup_values_f32[first_2];
  for (uint i_2 = first_2 + 1u; i_2 < first_2 + 32u; i_2++) {
    result_2 += subgroup_values_f32[i_2];
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float sum = result_2;
  const float value_1_1 = y[k];
  subgroup_values_f32[k] = value_1_1;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const uint first_3 = k - k % 32u;
  float result_3 = subgroup_values_f32[first_3];
  for (uint i_3 = first_3 + 1u; i_3 < first_3 + 32u; i_3++) {
    result_3 = fmax(result_3, subgroup_values_f32[i_3]);
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float largest = result_3;
  if (k % 32u == 0u) {
    y[k / 32u] = sum + largest + 32.0f;
  }
}

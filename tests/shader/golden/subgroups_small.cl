static float4 total(float4 v, float scale, uint subgroup_index, __local float4* subgroup_values_vec4_f32) {
  subgroup_values_vec4_f32[subgroup_index] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  float4 result_1 = subgroup_values_vec4_f32[0];
  for (uint i_2 = 1u; i_2 < 16u; i_2++) {
    result_1 += subgroup_values_vec4_f32[i_2];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  float4 sum = result_1;
  for (uint i = 0u; i < convert_uint_sat_rtz(scale); i++) {
    if (sum.x > 3.0f) {
      return sum;
    }
    sum *= scale;
  }
  return sum;
}

__attribute__((reqd_work_group_size(16, 1, 1)))
__kernel void subgroups(__global float4* y, ulong y_offset) {
  __local float4 subgroup_values_vec4_f32[16];
  y = (__global float4*)((__global uchar*)y + y_offset);
  const uint3 local_ = (uint3)(get_local_id(0), get_local_id(1), get_local_id(2));
  const uint subgroup_index_1 = (uint)get_local_id(0);
  const float4 total_value = total(y[local_.x], 2.0f, subgroup_index_1, subgroup_values_vec4_f32);
  const float4 total_value_1 = total(y[local_.x], 3.0f, subgroup_index_1, subgroup_values_vec4_f32);
  y[local_.x] = total_value - total_value_1;
}

__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void subgroups(__global float* y, ulong y_offset) {
  __local float subgroup_values_f32[64];
  y = (__global float*)((__global uchar*)y + y_offset);
  const uint k = (uint)get_local_id(0);
  const float value_2 = y[k];
  subgroup_values_f32[k] = value_2;
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint first_2 = k - k % 32u;
  float result_2 = subgroup_values_f32[first_2];
  for (uint i_2 = first_2 + 1u; i_2 < first_2 + 32u; i_2++) {
    result_2 += subgroup_values_f32[i_2];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const float sum = result_2;
  const float value_1_1 = y[k];
  subgroup_values_f32[k] = value_1_1;
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint first_3 = k - k % 32u;
  float result_3 = subgroup_values_f32[first_3];
  for (uint i_3 = first_3 + 1u; i_3 < first_3 + 32u; i_3++) {
    result_3 = fmax(result_3, subgroup_values_f32[i_3]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const float largest = result_3;
  if (k % 32u == 0u) {
    y[k / 32u] = sum + largest + 32.0f;
  }
}

static float subgroup_mul_f32(float value, uint index, __local float* subgroup_values_f32) {
  subgroup_values_f32[index] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint first = index - index % 32u;
  float result = subgroup_values_f32[first];
  for (uint i = first + 1u; i < min(first + 32u, 48u); i++) {
    result *= subgroup_values_f32[i];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return result;
}

static float subgroup_min_f32(float value_1, uint index_1, __local float* subgroup_values_f32) {
  subgroup_values_f32[index_1] = value_1;
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint first_1 = index_1 - index_1 % 32u;
  float result_1 = subgroup_values_f32[first_1];
  for (uint i_1 = first_1 + 1u; i_1 < min(first_1 + 32u, 48u); i_1++) {
    result_1 = fmin(result_1, subgroup_values_f32[i_1]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return result_1;
}

static bool subgroup_all_bool(bool value_2, uint index_2, __local bool* subgroup_values_bool) {
  subgroup_values_bool[index_2] = value_2;
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint first_2 = index_2 - index_2 % 32u;
  bool result_2 = subgroup_values_bool[first_2];
  for (uint i_2 = first_2 + 1u; i_2 < min(first_2 + 32u, 48u); i_2++) {
    result_2 = result_2 && subgroup_values_bool[i_2];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return result_2;
}

static bool subgroup_any_bool(bool value_3, uint index_3, __local bool* subgroup_values_bool) {
  subgroup_values_bool[index_3] = value_3;
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint first_3 = index_3 - index_3 % 32u;
  bool result_3 = subgroup_values_bool[first_3];
  for (uint i_3 = first_3 + 1u; i_3 < min(first_3 + 32u, 48u); i_3++) {
    result_3 = result_3 || subgroup_values_bool[i_3];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return result_3;
}

static float subgroup_broadcast_f32(float value_4, uint lane, uint index_4, __local float* subgroup_values_f32) {
  subgroup_values_f32[index_4] = value_4;
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint first_4 = index_4 - index_4 % 32u;
  const float result_4 = subgroup_values_f32[min(first_4 + lane, 47u)];
  barrier(CLK_LOCAL_MEM_FENCE);
  return result_4;
}

static float subgroup_broadcast_first_f32(float value_5, uint index_5, __local float* subgroup_values_f32) {
  subgroup_values_f32[index_5] = value_5;
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint first_5 = index_5 - index_5 % 32u;
  const float result_5 = subgroup_values_f32[first_5];
  barrier(CLK_LOCAL_MEM_FENCE);
  return result_5;
}

static float subgroup_shuffle_f32(float value_6, uint lane_1, uint index_6, __local float* subgroup_values_f32) {
  subgroup_values_f32[index_6] = value_6;
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint first_6 = index_6 - index_6 % 32u;
  const float result_6 = subgroup_values_f32[min(first_6 + lane_1, 47u)];
  barrier(CLK_LOCAL_MEM_FENCE);
  return result_6;
}

static float subgroup_shuffle_xor_f32(float value_7, uint lane_2, uint index_7, __local float* subgroup_values_f32) {
  subgroup_values_f32[index_7] = value_7;
  barrier(CLK_LOCAL_MEM_FENCE);
  const float result_7 = subgroup_values_f32[min(index_7 ^ lane_2, 47u)];
  barrier(CLK_LOCAL_MEM_FENCE);
  return result_7;
}

static float subgroup_shuffle_up_f32(float value_8, uint lane_3, uint index_8, __local float* subgroup_values_f32) {
  subgroup_values_f32[index_8] = value_8;
  barrier(CLK_LOCAL_MEM_FENCE);
  const float result_8 = subgroup_values_f32[index_8 % 32u >= lane_3 ? index_8 - lane_3 : index_8];
  barrier(CLK_LOCAL_MEM_FENCE);
  return result_8;
}

static float subgroup_shuffle_down_f32(float value_9, uint lane_4, uint index_9, __local float* subgroup_values_f32) {
  subgroup_values_f32[index_9] = value_9;
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint first_9 = index_9 - index_9 % 32u;
  const float result_9 = subgroup_values_f32[index_9 + lane_4 < min(first_9 + 32u, 48u) ? index_9 + lane_4 : index_9];
  barrier(CLK_LOCAL_MEM_FENCE);
  return result_9;
}

static uint subgroup_exclusive_add_u32(uint value_10, uint index_10, __local uint* subgroup_values_u32) {
  subgroup_values_u32[index_10] = value_10;
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint first_10 = index_10 - index_10 % 32u;
  uint result_10 = 0u;
  for (uint i_4 = first_10; i_4 < index_10; i_4++) {
    result_10 += subgroup_values_u32[i_4];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return result_10;
}

static uint subgroup_inclusive_add_u32(uint value_11, uint index_11, __local uint* subgroup_values_u32) {
  subgroup_values_u32[index_11] = value_11;
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint first_11 = index_11 - index_11 % 32u;
  uint result_11 = subgroup_values_u32[first_11];
  for (uint i_5 = first_11 + 1u; i_5 <= index_11; i_5++) {
    result_11 += subgroup_values_u32[i_5];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return result_11;
}

__attribute__((reqd_work_group_size(48, 1, 1)))
__kernel void subgroups(__global float* y, __global uint* u, ulong y_offset, ulong u_offset) {
  __local float subgroup_values_f32[48];
  __local bool subgroup_values_bool[48];
  __local uint subgroup_values_u32[48];
  y = (__global float*)((__global uchar*)y + y_offset);
  u = (__global uint*)((__global uchar*)u + u_offset);
  const uint k = (uint)get_local_id(0);
  const float subgroup_mul_f32_value = subgroup_mul_f32(y[k], k, subgroup_values_f32);
  const float subgroup_min_f32_value = subgroup_min_f32(y[k], k, subgroup_values_f32);
  y[k] = subgroup_mul_f32_value + subgroup_min_f32_value;
  const uint value_12 = (uint)subgroup_all_bool(u[k] > 3u, k, subgroup_values_bool);
  const uint value_13 = (uint)subgroup_any_bool(u[k] == 0u, k, subgroup_values_bool);
  u[k] = value_12 + value_13 + 2u;
  const float value_14 = y[k];
  const float subgroup_broadcast_f32_value = subgroup_broadcast_f32(y[k], 3u, k, subgroup_values_f32);
  const float subgroup_broadcast_first_f32_value = subgroup_broadcast_first_f32(y[k], k, subgroup_values_f32);
  y[k] = value_14 + (subgroup_broadcast_f32_value + subgroup_broadcast_first_f32_value);
  const float value_15 = y[k];
  const float subgroup_shuffle_f32_value = subgroup_shuffle_f32(y[k], u[k], k, subgroup_values_f32);
  const float subgroup_shuffle_xor_f32_value = subgroup_shuffle_xor_f32(y[k], 1u, k, subgroup_values_f32);
  y[k] = value_15 + (subgroup_shuffle_f32_value + subgroup_shuffle_xor_f32_value);
  const float value_16 = y[k];
  const float subgroup_shuffle_up_f32_value = subgroup_shuffle_up_f32(y[k], 2u, k, subgroup_values_f32);
  const float subgroup_shuffle_down_f32_value = subgroup_shuffle_down_f32(y[k], 2u, k, subgroup_values_f32);
  y[k] = value_16 + (subgroup_shuffle_up_f32_value + subgroup_shuffle_down_f32_value);
  const uint value_17 = u[k];
  const uint subgroup_exclusive_add_u32_value = subgroup_exclusive_add_u32(u[k], k, subgroup_values_u32);
  const uint subgroup_inclusive_add_u32_value = subgroup_inclusive_add_u32(u[k], k, subgroup_values_u32);
  u[k] = value_17 + (subgroup_exclusive_add_u32_value + subgroup_inclusive_add_u32_value);
  if (k % 32u == 0u) {
    u[0] = 1u;
  }
}

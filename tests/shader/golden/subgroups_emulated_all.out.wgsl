@group(0) @binding(0) var<storage, read_write> y: array<f32>;
@group(0) @binding(1) var<storage, read_write> u: array<u32>;
var<workgroup> subgroup_values_f32: array<f32, 48>;
var<workgroup> subgroup_values_bool: array<bool, 48>;
var<workgroup> subgroup_values_u32: array<u32, 48>;

fn subgroup_mul_f32(value: f32, index: u32) -> f32 {
  subgroup_values_f32[index] = value;
  workgroupBarrier();
  let first = index - index % 32u;
  var result = subgroup_values_f32[first];
  for (var i = first + 1u; i < min(first + 32u, 48u); i++) {
    result *= subgroup_values_f32[i];
  }
  workgroupBarrier();
  return result;
}

fn subgroup_min_f32(value_1: f32, index_1: u32) -> f32 {
  subgroup_values_f32[index_1] = value_1;
  workgroupBarrier();
  let first_1 = index_1 - index_1 % 32u;
  var result_1 = subgroup_values_f32[first_1];
  for (var i_1 = first_1 + 1u; i_1 < min(first_1 + 32u, 48u); i_1++) {
    result_1 = min(result_1, subgroup_values_f32[i_1]);
  }
  workgroupBarrier();
  return result_1;
}

fn subgroup_all_bool(value_2: bool, index_2: u32) -> bool {
  subgroup_values_bool[index_2] = value_2;
  workgroupBarrier();
  let first_2 = index_2 - index_2 % 32u;
  var result_2 = subgroup_values_bool[first_2];
  for (var i_2 = first_2 + 1u; i_2 < min(first_2 + 32u, 48u); i_2++) {
    result_2 = result_2 && subgroup_values_bool[i_2];
  }
  workgroupBarrier();
  return result_2;
}

fn subgroup_any_bool(value_3: bool, index_3: u32) -> bool {
  subgroup_values_bool[index_3] = value_3;
  workgroupBarrier();
  let first_3 = index_3 - index_3 % 32u;
  var result_3 = subgroup_values_bool[first_3];
  for (var i_3 = first_3 + 1u; i_3 < min(first_3 + 32u, 48u); i_3++) {
    result_3 = result_3 || subgroup_values_bool[i_3];
  }
  workgroupBarrier();
  return result_3;
}

fn subgroup_broadcast_f32(value_4: f32, lane: u32, index_4: u32) -> f32 {
  subgroup_values_f32[index_4] = value_4;
  workgroupBarrier();
  let first_4 = index_4 - index_4 % 32u;
  let result_4 = subgroup_values_f32[min(first_4 + lane, 47u)];
  workgroupBarrier();
  return result_4;
}

fn subgroup_broadcast_first_f32(value_5: f32, index_5: u32) -> f32 {
  subgroup_values_f32[index_5] = value_5;
  workgroupBarrier();
  let first_5 = index_5 - index_5 % 32u;
  let result_5 = subgroup_values_f32[first_5];
  workgroupBarrier();
  return result_5;
}

fn subgroup_shuffle_f32(value_6: f32, lane_1: u32, index_6: u32) -> f32 {
  subgroup_values_f32[index_6] = value_6;
  workgroupBarrier();
  let first_6 = index_6 - index_6 % 32u;
  let result_6 = subgroup_values_f32[min(first_6 + lane_1, 47u)];
  workgroupBarrier();
  return result_6;
}

fn subgroup_shuffle_xor_f32(value_7: f32, lane_2: u32, index_7: u32) -> f32 {
  subgroup_values_f32[index_7] = value_7;
  workgroupBarrier();
  let result_7 = subgroup_values_f32[min(index_7 ^ lane_2, 47u)];
  workgroupBarrier();
  return result_7;
}

fn subgroup_shuffle_up_f32(value_8: f32, lane_3: u32, index_8: u32) -> f32 {
  subgroup_values_f32[index_8] = value_8;
  workgroupBarrier();
  let result_8 = subgroup_values_f32[select(index_8, index_8 - lane_3, (index_8 % 32u >= lane_3))];
  workgroupBarrier();
  return result_8;
}

fn subgroup_shuffle_down_f32(value_9: f32, lane_4: u32, index_9: u32) -> f32 {
  subgroup_values_f32[index_9] = value_9;
  workgroupBarrier();
  let first_9 = index_9 - index_9 % 32u;
  let result_9 = subgroup_values_f32[select(index_9, index_9 + lane_4, (index_9 + lane_4 < min(first_9 + 32u, 48u)))];
  workgroupBarrier();
  return result_9;
}

fn subgroup_exclusive_add_u32(value_10: u32, index_10: u32) -> u32 {
  subgroup_values_u32[index_10] = value_10;
  workgroupBarrier();
  let first_10 = index_10 - index_10 % 32u;
  var result_10 = u32();
  for (var i_4 = first_10; i_4 < index_10; i_4++) {
    result_10 += subgroup_values_u32[i_4];
  }
  workgroupBarrier();
  return result_10;
}

fn subgroup_inclusive_add_u32(value_11: u32, index_11: u32) -> u32 {
  subgroup_values_u32[index_11] = value_11;
  workgroupBarrier();
  let first_11 = index_11 - index_11 % 32u;
  var result_11 = subgroup_values_u32[first_11];
  for (var i_5 = first_11 + 1u; i_5 <= index_11; i_5++) {
    result_11 += subgroup_values_u32[i_5];
  }
  workgroupBarrier();
  return result_11;
}

@compute @workgroup_size(48, 1, 1)
fn subgroups(@builtin(local_invocation_index) k: u32) {
  let subgroup_mul_f32_value = subgroup_mul_f32(y[k], k);
  let subgroup_min_f32_value = subgroup_min_f32(y[k], k);
  y[k] = subgroup_mul_f32_value + subgroup_min_f32_value;
  let value_12 = u32(subgroup_all_bool((u[k] > 3u), k));
  let value_13 = u32(subgroup_any_bool((u[k] == 0u), k));
  u[k] = value_12 + value_13 + 2u;
  let value_14 = y[k];
  let subgroup_broadcast_f32_value = subgroup_broadcast_f32(y[k], 3u, k);
  let subgroup_broadcast_first_f32_value = subgroup_broadcast_first_f32(y[k], k);
  y[k] = value_14 + (subgroup_broadcast_f32_value + subgroup_broadcast_first_f32_value);
  let value_15 = y[k];
  let subgroup_shuffle_f32_value = subgroup_shuffle_f32(y[k], u[k], k);
  let subgroup_shuffle_xor_f32_value = subgroup_shuffle_xor_f32(y[k], 1u, k);
  y[k] = value_15 + (subgroup_shuffle_f32_value + subgroup_shuffle_xor_f32_value);
  let value_16 = y[k];
  let subgroup_shuffle_up_f32_value = subgroup_shuffle_up_f32(y[k], 2u, k);
  let subgroup_shuffle_down_f32_value = subgroup_shuffle_down_f32(y[k], 2u, k);
  y[k] = value_16 + (subgroup_shuffle_up_f32_value + subgroup_shuffle_down_f32_value);
  let value_17 = u[k];
  let subgroup_exclusive_add_u32_value = subgroup_exclusive_add_u32(u[k], k);
  let subgroup_inclusive_add_u32_value = subgroup_inclusive_add_u32(u[k], k);
  u[k] = value_17 + (subgroup_exclusive_add_u32_value + subgroup_inclusive_add_u32_value);
  if (k % 32u == 0u) {
    u[0] = 1u;
  }
}

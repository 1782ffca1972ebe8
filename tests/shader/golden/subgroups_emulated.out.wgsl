@group(0) @binding(0) var<storage, read_write> y: array<f32>;
var<workgroup> subgroup_values_f32: array<f32, 64>;

@compute @workgroup_size(64, 1, 1)
fn subgroups(@builtin(local_invocation_index) k: u32) {
  let value_2 = y[k];
  subgroup_values_f32[k] = value_2;
  workgroupBarrier();
  let first_2 = k - k % 32u;
  var result_2 = subgroup_values_f32[first_2];
  for (var i_2 = first_2 + 1u; i_2 < first_2 + 32u; i_2++) {
    result_2 += subgroup_values_f32[i_2];
  }
  workgroupBarrier();
  let sum = result_2;
  let value_1_1 = y[k];
  subgroup_values_f32[k] = value_1_1;
  workgroupBarrier();
  let first_3 = k - k % 32u;
  var result_3 = subgroup_values_f32[first_3];
  for (var i_3 = first_3 + 1u; i_3 < first_3 + 32u; i_3++) {
    result_3 = max(result_3, subgroup_values_f32[i_3]);
  }
  workgroupBarrier();
  let largest = result_3;
  if (k % 32u == 0u) {
    y[k / 32u] = sum + largest + 32.0f;
  }
}

@group(0) @binding(0) var<storage, read_write> y: array<vec4<f32>>;
var<workgroup> subgroup_values_vec4_f32: array<vec4<f32>, 16>;

fn total(v: vec4<f32>, scale: f32, subgroup_index: u32) -> vec4<f32> {
  subgroup_values_vec4_f32[subgroup_index] = v;
  workgroupBarrier();
  var result_1 = subgroup_values_vec4_f32[0];
  for (var i_2 = 1u; i_2 < 16u; i_2++) {
    result_1 += subgroup_values_vec4_f32[i_2];
  }
  workgroupBarrier();
  var sum = result_1;
  for (var i = 0u; i < u32(scale); i++) {
    if (sum.x > 3.0f) {
      return sum;
    }
    sum *= scale;
  }
  return sum;
}

@compute @workgroup_size(16, 1, 1)
fn subgroups(@builtin(local_invocation_id) local: vec3<u32>, @builtin(local_invocation_index) subgroup_index_1: u32) {
  let total_value = total(y[local.x], 2.0f, subgroup_index_1);
  let total_value_1 = total(y[local.x], 3.0f, subgroup_index_1);
  y[local.x] = total_value - total_value_1;
}

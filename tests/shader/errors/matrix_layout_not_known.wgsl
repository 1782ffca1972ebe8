var<workgroup> values: array<u32, 128>;
@compute @workgroup_size(32)
fn main(@builtin(subgroup_id) group: u32) {
  let a = subgroupMatrixLoad<subgroup_matrix_right<f16, 16, 16>>(&values, 0, group == 0, 16);
}

var<workgroup> values: array<f32, 256>;
@compute @workgroup_size(32)
fn main() {
  let a = subgroupMatrixLoad<subgroup_matrix_right<f16, 16, 16>>(&values, 0, false, 16);
}

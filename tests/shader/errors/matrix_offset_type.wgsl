var<workgroup> values: array<u32, 128>;
@compute @workgroup_size(32)
fn main() {
  let a = subgroupMatrixLoad<subgroup_matrix_right<f16, 16, 16>>(&values, 0i, false, 16);
}

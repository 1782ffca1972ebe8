var<storage, read> values: array<u32>;
@compute @workgroup_size(32)
fn main() {
  let a = subgroupMatrixLoad<subgroup_matrix_left<f16, 16, 16>>(&values, 0, false, 16);
}

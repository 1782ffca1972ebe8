var<workgroup> values: array<u32, 128>;
@compute @workgroup_size(32)
fn main() {
  subgroupMatrixStore(&values, 0, subgroup_matrix_left<f16, 16, 16>(), false, 16);
}

var<workgroup> sum: array<subgroup_matrix_result<f32, 16, 16>, 2>;
@compute @workgroup_size(32)
fn main() {
  sum[0] = subgroup_matrix_result<f32, 16, 16>();
}

@compute @workgroup_size(32)
fn main() {
  let a = subgroup_matrix_result<f32, 16, 16>();
  let b = a + a;
}

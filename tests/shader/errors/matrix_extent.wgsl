@compute @workgroup_size(32)
fn main() {
  var a: subgroup_matrix_result<f32, 16, 8>;
}

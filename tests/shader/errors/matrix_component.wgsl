@compute @workgroup_size(32)
fn main() {
  var a: subgroup_matrix_left<f32, 16, 16>;
}

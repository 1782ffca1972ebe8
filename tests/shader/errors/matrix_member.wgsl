struct Sums {
  first: subgroup_matrix_result<f32, 16, 16>,
}
@compute @workgroup_size(32)
fn main() {
  var sums: Sums;
}

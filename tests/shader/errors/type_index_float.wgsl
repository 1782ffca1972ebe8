@compute @workgroup_size(1)
fn main() {
  var a: array<i32, 4>;
  let b = a[1.5];
}

@compute @workgroup_size(1)
fn main() {
  let a = array<i32, 3>(1, 2);
}

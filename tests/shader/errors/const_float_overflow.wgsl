@compute @workgroup_size(1)
fn main() {
  let a = 3.0e38f * 10.0f;
}

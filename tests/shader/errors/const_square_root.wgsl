@compute @workgroup_size(1)
fn main() {
  let a = sqrt(-1.0);
}

@compute @workgroup_size(1)
fn main() {
  let a = b;
  let b = 1;
}

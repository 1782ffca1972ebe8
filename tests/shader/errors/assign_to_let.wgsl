@compute @workgroup_size(1)
fn main() {
  let a = 1;
  a = 2;
}

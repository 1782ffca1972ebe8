@compute @workgroup_size(1)
fn main() {
  if (true) {
    let a = 1;

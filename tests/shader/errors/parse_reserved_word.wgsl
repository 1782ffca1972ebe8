@compute @workgroup_size(1)
fn main() {
  let partial = 1;
}

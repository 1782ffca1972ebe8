@compute @workgroup_size(1)
fn main() {
  let __a = 1;
}

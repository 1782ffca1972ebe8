@compute @workgroup_size(1)
fn main() {
  let loop = 1;
}

@compute @workgroup_size(1)
fn main() {
  let a = scale * 2.0;
}

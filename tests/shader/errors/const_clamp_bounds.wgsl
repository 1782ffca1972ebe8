@compute @workgroup_size(1)
fn main() {
  let a = clamp(1.0, 2.0, 0.0);
}

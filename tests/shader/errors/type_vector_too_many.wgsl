@compute @workgroup_size(1)
fn main() {
  let a = vec2f(1.0, 2.0, 3.0);
}

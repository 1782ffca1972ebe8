@compute @workgroup_size(1)
fn main() {
  let a = vec2f();
  let b = a.z;
}

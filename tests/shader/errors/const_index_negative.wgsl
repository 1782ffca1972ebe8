@compute @workgroup_size(1)
fn main() {
  let a = vec4f();
  let b = a[-1];
}

@compute @workgroup_size(1)
fn main() {
  let a = vec4f(1.0, 2.0);
}

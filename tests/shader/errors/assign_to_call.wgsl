@compute @workgroup_size(1)
fn main() {
  vec4f() = vec4f();
}

@compute @workgroup_size(1)
fn main() {
  let a = vec3f() + vec4f();
}

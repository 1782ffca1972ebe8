@compute @workgroup_size(1)
fn main() {
  var a: vec4f;
  a.xy = vec2f();
}

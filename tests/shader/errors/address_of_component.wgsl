@compute @workgroup_size(1)
fn main() {
  var a: vec4f;
  let b = &a.x;
}

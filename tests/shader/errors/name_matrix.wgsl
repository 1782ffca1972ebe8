@compute @workgroup_size(1)
fn main() {
  var m: mat4x4f;
}

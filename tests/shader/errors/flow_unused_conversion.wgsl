@compute @workgroup_size(1)
fn main() {
  var a = 1;
  f32(a);
}

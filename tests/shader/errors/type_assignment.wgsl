@compute @workgroup_size(1)
fn main() {
  var a = 1.0;
  a = 2u;
}

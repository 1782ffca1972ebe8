@compute @workgroup_size(1)
fn main() {
  var a: f64;
}

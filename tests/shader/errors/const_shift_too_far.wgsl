@compute @workgroup_size(1)
fn main() {
  var a = 1u;
  let b = a << 32u;
}

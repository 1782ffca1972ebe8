@compute @workgroup_size(1)
fn main() {
  var i = 1;
  let a = 2.5 * i;
}

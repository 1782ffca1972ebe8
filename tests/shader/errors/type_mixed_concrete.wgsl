@compute @workgroup_size(1)
fn main() {
  var i = 1;
  var u = 2u;
  let a = i + u;
}

@compute @workgroup_size(1)
fn main() {
  let a = array(1u, 2i);
}

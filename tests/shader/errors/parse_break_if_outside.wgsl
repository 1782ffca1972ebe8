@compute @workgroup_size(1)
fn main() {
  loop { break if true; }
}

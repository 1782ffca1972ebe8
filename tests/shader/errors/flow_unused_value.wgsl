@compute @workgroup_size(1)
fn main() {
  min(1.0, 2.0);
}

@compute @workgroup_size(1)
fn main() {
  let a = workgroup_sum(1.0);
}

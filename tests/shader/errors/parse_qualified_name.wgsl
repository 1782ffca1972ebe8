@compute @workgroup_size(1)
fn main() {
  let a = package::reduce::sum(1);
}

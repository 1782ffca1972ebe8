@compute @workgroup_size(1)
fn main() {
  let a = 9223372036854775807 + 1;
}

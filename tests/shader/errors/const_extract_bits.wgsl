@compute @workgroup_size(1)
fn main() {
  let a = extractBits(1u, 30u, 4u);
}

@compute @workgroup_size(1)
fn main() {
  let a = 0x80000000u << 1u;
}

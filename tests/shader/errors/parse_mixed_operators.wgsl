@compute @workgroup_size(1)
fn main() {
  let a = 1u & 2u << 3u;
}

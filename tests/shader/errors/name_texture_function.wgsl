@compute @workgroup_size(1)
fn main() {
  let a = textureLoad(1, 2, 3);
}

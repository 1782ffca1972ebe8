@compute @workgroup_size(1)
fn main() {
  let a = bitcast<vec2u>(1u);
}

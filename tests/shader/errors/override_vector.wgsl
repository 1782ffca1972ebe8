override a: vec2f;

@compute @workgroup_size(1)
fn main() {}

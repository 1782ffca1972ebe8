var<uniform> a: array<f32, 8>;

@compute @workgroup_size(1)
fn main() {}

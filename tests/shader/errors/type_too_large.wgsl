var<private> a: array<array<f32, 1000000>, 1000000>;

@compute @workgroup_size(1)
fn main() {}

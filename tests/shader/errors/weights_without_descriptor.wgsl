@weights var<read> w: weights<f32>;

@compute @workgroup_size(1)
fn main() {}

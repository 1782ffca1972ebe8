// weights: w q4_1 64 64
@weights var<write> w: weights<f32>;

@compute @workgroup_size(1)
fn main() {}

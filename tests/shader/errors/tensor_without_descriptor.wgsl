@tensor var<read> x: tensor<f32>;

@compute @workgroup_size(1)
fn main() {}

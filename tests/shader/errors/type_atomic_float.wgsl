var<workgroup> a: atomic<f32>;

@compute @workgroup_size(1)
fn main() {}

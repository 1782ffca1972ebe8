alias act = f32;

@compute @workgroup_size(1)
fn main() {}
//// alias act
f64

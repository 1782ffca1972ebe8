var<private> n = 4;
@compute @workgroup_size(n)
fn main() {}

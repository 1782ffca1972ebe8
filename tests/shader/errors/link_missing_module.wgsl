import package::nothing::f;

@compute @workgroup_size(1)
fn main() {}

const a = 1;
fn a() {}

@compute @workgroup_size(1)
fn main() {}

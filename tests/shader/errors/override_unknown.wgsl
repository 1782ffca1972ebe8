// set: lines=4
override lanes: u32 = 1;

@compute @workgroup_size(1)
fn main() {}

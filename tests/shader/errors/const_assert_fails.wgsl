// set: lanes=3
override lanes: u32;
const_assert lanes % 4 == 0;

@compute @workgroup_size(1)
fn main() {}

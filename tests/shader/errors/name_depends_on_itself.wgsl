const a = b + 1;
const b = a;

@compute @workgroup_size(1)
fn main() {}

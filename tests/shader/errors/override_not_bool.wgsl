// set: causal=2
override causal: bool;

@compute @workgroup_size(1)
fn main() {}

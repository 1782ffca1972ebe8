var<storage, read> a: array<bool>;

@compute @workgroup_size(1)
fn main() {}

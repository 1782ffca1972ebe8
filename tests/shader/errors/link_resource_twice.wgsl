import package::a::f;
var<storage, read> x: array<u32>;

@compute @workgroup_size(1)
fn main() {}
//// package::a
var<storage, read> x: array<u32>;
fn f() {}

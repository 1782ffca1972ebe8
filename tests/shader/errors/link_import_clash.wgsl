import package::a::f;
fn f() {}

@compute @workgroup_size(1)
fn main() {}
//// package::a
fn f() {}

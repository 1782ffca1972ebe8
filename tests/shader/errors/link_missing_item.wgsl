import package::a::g;

@compute @workgroup_size(1)
fn main() {}
//// package::a
fn f() {}

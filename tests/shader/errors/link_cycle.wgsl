import package::a::f;

@compute @workgroup_size(1)
fn main() {}
//// package::a
import package::b::g;
fn f() {}
//// package::b
import package::a::f;
fn g() {}

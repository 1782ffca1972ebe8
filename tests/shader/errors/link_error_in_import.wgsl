import package::a::f;
@compute @workgroup_size(1)
fn main() { _ = f(); }
//// package::a
fn f() -> f32 {
  return 1 + true;
}

fn f(p: ptr<private, i32>) {}

@compute @workgroup_size(1)
fn main() {
  var a = 1;
  f(&a);
}

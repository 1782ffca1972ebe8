struct S {
  a: f32,
}

@compute @workgroup_size(1)
fn main() {
  var s: S;
  let b = s.b;
}

struct S {
  a: S,
}

@compute @workgroup_size(1)
fn main() {}

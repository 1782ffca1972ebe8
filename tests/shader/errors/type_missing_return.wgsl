fn f(a: bool) -> f32 {
  if (a) {
    return 1.0;
  }
}

@compute @workgroup_size(1)
fn main() {}

fn f() -> f32 {
  return;
}

@compute @workgroup_size(1)
fn main() {}

fn f() -> f32 {
  return 1u;
}

@compute @workgroup_size(1)
fn main() {}

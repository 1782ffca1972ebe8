fn f(a: f32) {}

@compute @workgroup_size(1)
fn main() {
  f(1u);
}

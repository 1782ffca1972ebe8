const a = 1;
fn min(x: f32) -> f32 { return x - 1; }

@compute @workgroup_size(1)
fn main() {
  let b = a;
  let a = b + a;
  for (var a = 2.5; a < 3; a += 1) {
    let a = min(a);
    _ = a;
  }
  let dot = vec2f(vec2i(a, b));
  let clamp = dot.x;
}

@group(0) @binding(0) var<storage, read_write> y: array<f32>;

fn square(x: f32) -> f32 {
  return x * x;
}

fn largest(n: u32) -> f32 {
  var best = -1e30f;
  for (var i = 0u; i < n; i++) {
    if (y[i] > 100.0f) {
      return 100.0f;
    }
    let x_1 = y[i];
    best = max(best, x_1 * x_1);
  }
  return best;
}

@compute @workgroup_size(1, 1, 1)
fn main_kernel() {
  let value_1 = largest(4u);
  y[0] = value_1;
  let value_2 = largest(8u) + square(largest(2u));
  y[1] = value_2;
}

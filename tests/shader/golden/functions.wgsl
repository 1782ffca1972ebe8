var<storage, read_write> y: array<f32>;

fn square(x: f32) -> f32 {
  return x * x;
}

fn largest(n: u32) -> f32 {
  var best = -1e30;
  for (var i = 0u; i < n; i++) {
    if (y[i] > 100.0) {
      return 100.0;
    }
    best = max(best, square(y[i]));
  }
  return best;
}

fn store(i: u32, value: f32) {
  y[i] = value;
}

@compute @workgroup_size(1)
fn main_kernel() {
  store(0u, largest(4u));
  store(1u, largest(8u) + square(largest(2u)));
}

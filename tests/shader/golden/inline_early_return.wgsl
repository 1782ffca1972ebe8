var<storage, read_write> y: array<f32>;

fn activate(x: f32, slope: f32) -> f32 {
  if (x < 0.0) {
    return x * slope;
  }
  return x;
}

@compute @workgroup_size(64)
fn leaky(@builtin(global_invocation_id) id: vec3u) {
  y[id.x] = activate(y[id.x], 0.1) + activate(y[id.x + 1u], 0.2);
}

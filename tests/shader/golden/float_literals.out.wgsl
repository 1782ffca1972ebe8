@group(0) @binding(0) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(1, 1, 1)
fn floats() {
  y[0] = 0.0f;
  y[1] = -0.0f;
  y[2] = 1e-45f;
  y[3] = 0x1.fffffep127f;
  y[4] = 0.1f;
  y[5] = 1e5f;
  y[6] = 1e10f;
  y[7] = 0.1875f;
}

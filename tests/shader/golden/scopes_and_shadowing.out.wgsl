@group(0) @binding(0) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(1, 1, 1)
fn scopes() {
  let x = y[0];
  let x_1 = y[1];
  y[2] = x_1;
  if (x > 0.0f) {
    y[3] = 3.0f;
  }
  var z = x;
  var z_1 = y[4];
  z_1 += 1.0f;
  y[5] = z_1;
  z += 2.0f;
  y[6] = z;
}

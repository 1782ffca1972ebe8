@group(0) @binding(0) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(1, 1, 1)
fn arrays() {
  var a = array<f32, 2>(y[0], y[1]);
  var b_0 = y[2];
  let b_1 = y[3];
  for (var i = 0u; i < 2u; i++) {
    a[i] += b_1;
    b_0 += 1.0f;
  }
  y[4] = a[0] + b_0;
}

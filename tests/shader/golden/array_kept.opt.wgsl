@binding(0) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(1, 1, 1)
fn arrays() {
  var a: array<f32, 2> = array<f32, 2>(y[0i], y[1i]);
  var b_0: f32 = y[2i];
  let b_1: f32 = y[3i];
  for (var i: u32 = 0u; i < 2u; i = i + 1u) {
    a[i] = a[i] + b_1;
    b_0 = b_0 + 1f;
  }
  y[4i] = a[0i] + b_0;
}

var<storage, read_write> y: array<f32>;

@compute @workgroup_size(1)
fn scopes() {
  let x = y[0];
  {
    let x = y[1];
    y[2] = x;
  }
  if (x > 0.0) {
    let x = 3.0;
    y[3] = x;
  }
  var z = x;
  {
    var z = y[4];
    z += 1.0;
    y[5] = z;
  }
  z += 2.0;
  y[6] = z;
}

// A constructor may read the array it replaces.
var<storage, read_write> y: array<f32>;

@compute @workgroup_size(1)
fn swap() {
  var p = array(y[0], y[1]);
  p = array(p[1], p[0]);
  let q = p;
  p[0] += q[1];
  y[2] = p[0];
  y[3] = p[1] * q[0];
}

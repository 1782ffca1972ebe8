// An array indexed at run time stays an array; the one beside it does not.
var<storage, read_write> y: array<f32>;

@compute @workgroup_size(1)
fn arrays() {
  var a = array(y[0], y[1]);
  var b = array(y[2], y[3]);
  for (var i = 0u; i < 2u; i++) {
    a[i] += b[1];
    b[0] += 1.0;
  }
  y[4] = a[0] + b[0];
}

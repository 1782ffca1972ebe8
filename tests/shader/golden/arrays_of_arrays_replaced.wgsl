var<storage, read> x: array<f32>;
var<storage, read_write> y: array<f32>;

@compute @workgroup_size(1)
fn grid() {
  var g: array<array<f32, 2>, 2>;
  @unroll
  for (var i = 0u; i < 2u; i++) {
    @unroll
    for (var j = 0u; j < 2u; j++) {
      g[i][j] = x[2u * i + j];
    }
  }
  y[0] = g[0][0] * g[1][1] - g[0][1] * g[1][0];
}

// Arrays that are only indexed are C arrays.
var<storage, read> x: array<f32>;
var<storage, read_write> y: array<f32>;

@compute @workgroup_size(1)
fn arrays() {
  var a: array<f32, 8>;
  var b = array(1.0, 2.0, 3.0);
  var grid: array<array<vec4f, 2>, 4>;
  for (var i = 0u; i < 8u; i++) {
    a[i] = x[i] * b[i % 3u];
    grid[i / 2u][i % 2u] = vec4f(a[i]);
    b[i % 3u] = 0.5;
  }
  y[0] = a[u32(x[0])] + grid[u32(x[1])][1].w;
}

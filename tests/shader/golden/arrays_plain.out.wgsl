@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(1, 1, 1)
fn arrays() {
  var a = array<f32, 8>();
  var b = array<f32, 3>(1.0f, 2.0f, 3.0f);
  var grid = array<array<vec4<f32>, 2>, 4>();
  for (var i = 0u; i < 8u; i++) {
    a[i] = x[i] * b[i % 3u];
    grid[i / 2u][i % 2u] = vec4<f32>(a[i]);
    b[i % 3u] = 0.5f;
  }
  y[0] = a[u32(x[0])] + grid[u32(x[1])][1].w;
}

@binding(0) var<storage, read> x: array<f32>;
@binding(1) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(1, 1, 1)
fn grid() {
  let g_0_0: f32 = x[0u];
  let g_0_1: f32 = x[1u];
  let g_1_0: f32 = x[2u];
  let g_1_1: f32 = x[3u];
  y[0i] = (g_0_0 * g_1_1) - (g_0_1 * g_1_0);
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(1, 1, 1)
fn grid() {
  let g_0_0 = x[0];
  let g_0_1 = x[1];
  let g_1_0 = x[2];
  let g_1_1 = x[3];
  y[0] = g_0_0 * g_1_1 - g_0_1 * g_1_0;
}

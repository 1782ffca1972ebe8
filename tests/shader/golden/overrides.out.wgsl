@group(0) @binding(0) var<storage, read_write> y: array<f32>;
var<workgroup> tile: array<f32, 64>;

@compute @workgroup_size(32, 4, 1)
fn overridden(@builtin(local_invocation_index) k: u32) {
  if (k < 64u) {
    tile[k] = y[k] * 0.5f;
  }
  workgroupBarrier();
  y[k] = tile[k % 64u] + 128.0f;
}

@group(0) @binding(0) var<storage, read_write> y: array<f32>;
var<workgroup> tile: array<f32, 64>;
var<workgroup> wide: array<f32, 256>;
var<workgroup> total: f32;

@compute @workgroup_size(64, 1, 1)
fn tiles(@builtin(local_invocation_id) local: vec3<u32>) {
  tile[local.x] = y[local.x];
  for (var i = local.x; i < 256u; i += 64u) {
    wide[i] = y[i] * 2.0f;
  }
  if (local.x == 0u) {
    total = y[0];
  }
  workgroupBarrier();
  y[local.x] = tile[63u - local.x] + wide[local.x * 3u] + total;
}

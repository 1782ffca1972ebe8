@binding(0) var<storage, read_write> y: array<f32>;
var<workgroup> tile: array<f32, 64>;
var<workgroup> wide: array<f32, 256>;
var<workgroup> total: f32;

@compute @workgroup_size(64, 1, 1)
fn tiles(@builtin(local_invocation_id) local: vec3<u32>) {
  tile[local.x] = y[local.x];
  for (var i: u32 = local.x; i < 256u; i = i + 64u) {
    wide[i] = y[i] * 2f;
  }
  if (local.x == 0u) {
    total = y[0i];
  }
  workgroupBarrier();
  y[local.x] = (tile[63u - local.x] + wide[local.x * 3u]) + total;
}

// No zeroes where every element is written before anything is read.
var<workgroup> tile: array<f32, 64>;
var<workgroup> wide: array<f32, 256>;
var<workgroup> total: f32;
var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64)
fn tiles(@builtin(local_invocation_id) local: vec3u) {
  tile[local.x] = y[local.x];
  for (var i = local.x; i < 256u; i += 64u) {
    wide[i] = y[i] * 2.0;
  }
  if (local.x == 0u) {
    total = y[0];
  }
  workgroupBarrier();
  y[local.x] = tile[63u - local.x] + wide[local.x * 3u] + total;
}

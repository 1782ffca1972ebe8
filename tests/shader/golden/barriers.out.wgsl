@group(0) @binding(0) var<storage, read_write> y: array<f32>;
var<workgroup> tile: array<f32, 32>;
var<workgroup> limit: u32;

@compute @workgroup_size(32, 1, 1)
fn barriers(@builtin(local_invocation_index) k: u32) {
  tile[k] = y[k];
  if (k == 0u) {
    limit = u32(y[0]);
  }
  workgroupBarrier();
  y[k] = tile[31u - k];
  storageBarrier();
  let n = workgroupUniformLoad(&limit);
  for (var i = 0u; i < n; i++) {
    y[k] += tile[i];
  }
}

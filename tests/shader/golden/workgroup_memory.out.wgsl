@group(0) @binding(0) var<storage, read_write> y: array<vec4<f32>>;
var<workgroup> tile: array<vec4<f32>, 40>;
var<workgroup> count: u32;

@compute @workgroup_size(32, 1, 1)
fn workgroup_memory(@builtin(local_invocation_index) k: u32) {
  if (k < 20u) {
    tile[k] = y[k];
    count = 20u;
  }
  workgroupBarrier();
  y[k] = tile[(k + 7u) % 40u] * f32(count);
}

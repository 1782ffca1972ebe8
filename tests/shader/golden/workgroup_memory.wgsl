// Zeroes are written because an element may be read that nobody wrote.
var<workgroup> tile: array<vec4f, 40>;
var<workgroup> count: u32;
var<storage, read_write> y: array<vec4f>;

@compute @workgroup_size(32)
fn workgroup_memory(@builtin(local_invocation_index) k: u32) {
  if (k < 20u) {
    tile[k] = y[k];
    count = 20u;
  }
  workgroupBarrier();
  y[k] = tile[(k + 7u) % 40u] * f32(count);
}

// set: rows=4
override lanes: u32 = 32;
override rows: u32;
override scale: f32 = 0.5;
override count = lanes * rows;
var<workgroup> tile: array<f32, lanes * 2>;
var<storage, read_write> y: array<f32>;

@compute @workgroup_size(lanes, rows)
fn overridden(@builtin(local_invocation_index) k: u32) {
  if (k < 2u * lanes) {
    tile[k] = y[k] * scale;
  }
  workgroupBarrier();
  y[k] = tile[k % (2u * lanes)] + f32(count);
}

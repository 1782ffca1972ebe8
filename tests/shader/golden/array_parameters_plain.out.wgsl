@group(0) @binding(0) var<storage, read_write> y: array<f32>;
var<workgroup> tile: array<f32, 16>;

fn total(values: ptr<workgroup, array<f32, 16>>, n: u32) -> f32 {
  var sum = 0.0f;
  for (var i = 0u; i < n; i++) {
    if ((*values)[i] < 0.0f) {
      return sum;
    }
    sum += (*values)[i];
  }
  return sum;
}

fn both(n_1: u32) -> f32 {
  for (var i_1 = 0u; i_1 < n_1; i_1++) {
    if (y[i_1] > 3.0f) {
      return total(&tile, i_1);
    }
  }
  return total(&tile, n_1);
}

@compute @workgroup_size(16, 1, 1)
fn sums(@builtin(local_invocation_index) k: u32) {
  tile[k] = y[k];
  workgroupBarrier();
  y[k] = both(k) + both(k + 1u);
}

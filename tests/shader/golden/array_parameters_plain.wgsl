// A pointer to a whole array in workgroup memory, from a function that got the array itself.
var<workgroup> tile: array<f32, 16>;
var<storage, read_write> y: array<f32>;

fn total(values: ptr<workgroup, array<f32, 16>>, n: u32) -> f32 {
  var sum = 0.0;
  for (var i = 0u; i < n; i++) {
    if ((*values)[i] < 0.0) {
      return sum;
    }
    sum += (*values)[i];
  }
  return sum;
}

fn both(n: u32) -> f32 {
  for (var i = 0u; i < n; i++) {
    if (y[i] > 3.0) {
      return total(&tile, i);
    }
  }
  return total(&tile, n);
}

@compute @workgroup_size(16)
fn sums(@builtin(local_invocation_index) k: u32) {
  tile[k] = y[k];
  workgroupBarrier();
  y[k] = both(k) + both(k + 1u);
}

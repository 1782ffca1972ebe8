@group(0) @binding(0) var<storage, read_write> y: array<u32>;

@compute @workgroup_size(64, 1, 1)
fn unrolled(@builtin(local_invocation_index) k: u32) {
  y[6] = k;
  y[3] = k;
  y[0] = k;
  y[k + 1u] += y[k];
  y[k + 2u] += y[k];
  y[k] = 1u;
  y[k + 8u] += y[k];
  if (y[0] != k) {
    y[1] = 0u;
  }
  if (y[1] != k) {
    y[2] = 0u;
  }
}

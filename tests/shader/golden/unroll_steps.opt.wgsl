@binding(0) var<storage, read_write> y: array<u32>;

@compute @workgroup_size(64, 1, 1)
fn unrolled(@builtin(local_invocation_index) k: u32) {
  y[6i] = k;
  y[3i] = k;
  y[0i] = k;
  y[k + 1u] = y[k + 1u] + y[k];
  y[k + 2u] = y[k + 2u] + y[k];
  y[k] = 1u;
  y[k + 8u] = y[k + 8u] + y[k];
  if (y[0u] != k) {
    y[1u] = 0u;
  }
  if (y[1u] != k) {
    y[2u] = 0u;
  }
}

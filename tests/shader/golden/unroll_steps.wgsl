// Downwards, by doubling, with a condition that is known in each turn, and with a continue.
var<storage, read_write> y: array<u32>;

@compute @workgroup_size(64)
fn unrolled(@builtin(local_invocation_index) k: u32) {
  @unroll
  for (var i = 6; i >= 0; i -= 3) {
    y[i] = k;
  }
  @unroll
  for (var stride = 1u; stride < 16u; stride *= 2u) {
    if (stride == 4u) {
      y[k] = 1u;
    } else {
      y[k + stride] += y[k];
    }
  }
  @unroll
  for (var i = 0u; i < 2u; i++) {
    if (y[i] == k) {
      continue;
    }
    y[i + 1u] = 0u;
  }
}

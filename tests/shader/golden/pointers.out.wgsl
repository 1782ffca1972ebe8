@group(0) @binding(0) var<storage, read_write> y: array<f32>;
var<workgroup> shared_sum: array<f32, 64>;
var<private> counter: u32;

fn accumulate(sum: ptr<function, f32>, steps: u32, n: ptr<private, u32>, s: ptr<workgroup, array<f32, 64>>) {
  for (var i = 0u; i < steps; i++) {
    if (y[i] < 0.0f) {
      return;
    }
    *sum += y[i] * (*s)[i];
    (*n)++;
  }
}

@compute @workgroup_size(64, 1, 1)
fn pointers(@builtin(local_invocation_index) k: u32) {
  shared_sum[k] = y[k];
  workgroupBarrier();
  var sum_1 = 0.0f;
  accumulate(&sum_1, k, &counter, &shared_sum);
  accumulate(&sum_1, 3u, &counter, &shared_sum);
  y[k] = sum_1 + f32(counter);
}

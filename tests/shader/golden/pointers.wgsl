var<storage, read_write> y: array<f32>;
var<workgroup> shared_sum: array<f32, 64>;
var<private> counter: u32;

fn accumulate(sum: ptr<function, f32>, steps: u32, n: ptr<private, u32>, s: ptr<workgroup, array<f32, 64>>) {
  for (var i = 0u; i < steps; i++) {
    if (y[i] < 0.0) {
      return;
    }
    *sum += y[i] * (*s)[i];
    *n += 1u;
  }
}

@compute @workgroup_size(64)
fn pointers(@builtin(local_invocation_index) k: u32) {
  shared_sum[k] = y[k];
  workgroupBarrier();
  var sum = 0.0;
  accumulate(&sum, k, &counter, &shared_sum);
  accumulate(&sum, 3u, &counter, &shared_sum);
  let p = &y[k];
  *p = sum + f32(counter);
}

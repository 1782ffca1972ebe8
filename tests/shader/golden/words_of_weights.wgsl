// target: subgroups ptx
// weights: w q4_0 70 128 32 4
// Words of packed weights in runs, a run at once, and indices with their constants taken out; memory that begins as it is.
@weights var<read> w: weights<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
@uninitialized var<workgroup> shared_sums: array<u32, 64>;

@compute @workgroup_size(32)
fn words_of_weights(@builtin(workgroup_id) at: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let row = at.x * 32u + local.x;
  var sum = subgroupAdd(weightsWord(w, row, 1u, 0u)) + weightsWord(w, row, 0u, 1u + local.x % 8u);
  for (var unit = 0u; unit < 2u; unit++) {
    let first = weightsWords(w, row, unit, 0u);
    let second = weightsWords(w, row, unit, 1u);
    sum += ((first.x & 0x000f000fu) | 0x64006400u) + first.w + second.y;
  }
  shared_sums[local.x + 32u] = sum;
  shared_sums[local.x] = sum;
  workgroupBarrier();
  y[row * 2u + 1u] = shared_sums[63u - local.x];
  y[row * 2u] = shared_sums[(local.x + 1u) % 32u];
}

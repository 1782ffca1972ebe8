// A device without subgroups: workgroup memory and barriers.
var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64)
fn subgroups(@builtin(local_invocation_index) k: u32, @builtin(subgroup_invocation_id) lane: u32,
             @builtin(subgroup_size) size: u32, @builtin(subgroup_id) group: u32) {
  let sum = subgroupAdd(y[k]);
  let largest = subgroupMax(y[k]);
  if (lane == 0u) {
    y[group] = sum + largest + f32(size);
  }
}

var<storage, read_write> y: array<f32>;
var<storage, read_write> u: array<u32>;

@compute @workgroup_size(48)
fn subgroups(@builtin(local_invocation_index) k: u32, @builtin(num_subgroups) groups: u32) {
  y[k] = subgroupMul(y[k]) + subgroupMin(y[k]);
  u[k] = u32(subgroupAll(u[k] > 3u)) + u32(subgroupAny(u[k] == 0u)) + groups;
  y[k] += subgroupBroadcast(y[k], 3u) + subgroupBroadcastFirst(y[k]);
  y[k] += subgroupShuffle(y[k], u[k]) + subgroupShuffleXor(y[k], 1u);
  y[k] += subgroupShuffleUp(y[k], 2u) + subgroupShuffleDown(y[k], 2u);
  u[k] += subgroupExclusiveAdd(u[k]) + subgroupInclusiveAdd(u[k]);
  if (subgroupElect()) {
    u[0] = 1u;
  }
}

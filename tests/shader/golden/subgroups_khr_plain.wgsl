// target: subgroups plain_shuffles khr
var<storage, read_write> y: array<f32>;
var<storage, read_write> v: array<vec4f>;
var<storage, read_write> u: array<u32>;

@compute @workgroup_size(64)
fn subgroups(@builtin(local_invocation_index) k: u32, @builtin(subgroup_invocation_id) lane: u32,
             @builtin(subgroup_size) size: u32, @builtin(subgroup_id) group: u32, @builtin(num_subgroups) groups: u32) {
  y[k] = subgroupAdd(y[k]) + subgroupMax(y[k]) + subgroupMin(y[k]) + subgroupMul(y[k]);
  v[k] = subgroupAdd(v[k]) + subgroupShuffleXor(v[k], 1u);
  y[k] += subgroupBroadcast(y[k], 3u) + subgroupBroadcastFirst(y[k]) + subgroupShuffle(y[k], lane ^ 1u);
  y[k] += subgroupShuffleUp(y[k], 2u) + subgroupShuffleDown(y[k], 2u);
  u[k] += subgroupExclusiveAdd(u[k]) + subgroupInclusiveAdd(u[k]) + size + group + groups;
  u[k] += u32(subgroupAll(u[k] > 3u)) + u32(subgroupAny(u[k] == 0u));
  if (subgroupElect()) {
    u[0] = 1u;
  }
}

enable subgroups;
diagnostic(off, subgroup_uniformity);

@group(0) @binding(0) var<storage, read_write> y: array<f32>;
@group(0) @binding(1) var<storage, read_write> v: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> u: array<u32>;

@compute @workgroup_size(64, 1, 1)
fn subgroups(@builtin(local_invocation_index) k: u32, @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_size) size: u32) {
  let group = k / size;
  let groups = (63u + size) / size;
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

struct Counters {
  total: atomic<u32>,
  extremes: array<atomic<i32>, 2>,
}

@group(0) @binding(0) var<storage, read_write> counters: Counters;
@group(0) @binding(1) var<storage, read_write> flags: array<atomic<u32>>;
var<workgroup> local_count: atomic<u32>;

@compute @workgroup_size(64, 1, 1)
fn atomics(@builtin(local_invocation_index) k: u32) {
  let before = atomicAdd(&counters.total, k);
  atomicMax(&counters.extremes[0], i32(k));
  atomicMin(&counters.extremes[1], -i32(k));
  atomicAnd(&flags[k], 3u);
  atomicOr(&flags[k], before);
  atomicXor(&flags[k + 1u], 1u);
  atomicSub(&local_count, 1u);
  atomicStore(&flags[0], atomicLoad(&local_count));
  let old = atomicExchange(&flags[2], 7u);
  atomicStore(&flags[3], old);
}

struct Bin {
  count: atomic<u32>,
  least: atomic<i32>,
}

@group(0) @binding(0) var<storage, read_write> y: array<u32>;
var<workgroup> bins: array<Bin, 8>;
var<workgroup> one: Bin;
var<workgroup> counts: array<atomic<u32>, 4>;
var<workgroup> lowest: atomic<i32>;

@compute @workgroup_size(16, 1, 1)
fn histogram(@builtin(local_invocation_index) k: u32) {
  atomicAdd(&bins[y[k] % 8u].count, 1u);
  atomicMin(&bins[y[k] % 8u].least, -i32(k));
  atomicAdd(&one.count, atomicAdd(&counts[k % 4u], 2u));
  atomicMin(&lowest, -i32(k));
  workgroupBarrier();
  let total = atomicLoad(&counts[1]);
  let value = atomicLoad(&bins[k % 8u].count);
  let value_1 = u32(-atomicLoad(&bins[k % 8u].least));
  let value_2 = atomicLoad(&one.count);
  let value_3 = u32(-atomicLoad(&lowest));
  y[k] = value + value_1 + value_2 + total + value_3;
}

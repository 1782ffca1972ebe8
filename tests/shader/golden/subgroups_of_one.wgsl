// One invocation: a subgroup operation is its own value.
var<storage, read_write> y: array<vec4f>;

@compute @workgroup_size(1)
fn subgroups(@builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_size) size: u32) {
  let v = subgroupAdd(y[lane]) + subgroupShuffleXor(y[1], 1u);
  if (subgroupElect()) {
    y[0] = v + subgroupExclusiveAdd(v) + f32(size);
  }
}

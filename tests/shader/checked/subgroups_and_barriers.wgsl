var<workgroup> flag: u32;

@compute @workgroup_size(1)
fn main(@builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_size) size: u32) {
  let sum = subgroupAdd(f32(lane));
  let other = subgroupShuffleXor(vec2f(sum), 1u);
  if (subgroupElect()) { flag = 1; }
  workgroupBarrier();
  let all = workgroupUniformLoad(&flag);
  storageBarrier();
  let dots = dot4I8Packed(all, 0x01010101);
}

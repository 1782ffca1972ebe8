const stages = 2u;
var<workgroup> ring: array<vec2<u32>, 2u * stages>;
var<workgroup> tile: array<vec4<u32>, 64>;
var<storage, read> x: array<vec4<u32>>;
@compute @workgroup_size(128)
fn main(@builtin(local_invocation_index) t: u32) {
  workgroupRegisters(100u);
}

@group(0) @binding(0) var<storage, read_write> y: array<u32>;
var<workgroup> seen: array<bool, 32>;
var<private> last: bool;

@compute @workgroup_size(32, 1, 1)
fn flags(@builtin(local_invocation_index) k: u32) {
  seen[k] = y[k] > 7u;
  last = seen[k] && y[k] < 100u;
  workgroupBarrier();
  y[k] = u32(seen[31u - k] || last);
}

// target: subgroups ptx
// A hint: PTX has a barrier of the subgroup for it, which the assembler moves no load past; others print nothing.
var<storage, read> w: array<vec4u>;
var<storage, read_write> y: array<u32>;

fn load(i: u32) -> vec4u {
  let words = w[i];
  issueLoads();
  return words;
}

@compute @workgroup_size(32)
fn loads_issued(@builtin(local_invocation_index) k: u32) {
  var sum = 0u;
  var next = load(k);
  for (var i = 1u; i < 8u; i++) {
    let words = next;
    next = load(i * 32u + k);
    sum += (words.x + words.y * words.z) ^ words.w;
  }
  issueLoads();
  y[k] = sum + next.x;
}

@group(0) @binding(0) var<storage, read> w: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;

@compute @workgroup_size(32, 1, 1)
fn loads_issued(@builtin(local_invocation_index) k: u32) {
  var sum = 0u;
  let words_2 = w[k];
  var next = words_2;
  for (var i_1 = 1u; i_1 < 8u; i_1++) {
    let words_1 = next;
    let i_2 = i_1 * 32u + k;
    let words_3 = w[i_2];
    next = words_3;
    sum += (words_1.x + words_1.y * words_1.z) ^ words_1.w;
  }
  y[k] = sum + next.x;
}

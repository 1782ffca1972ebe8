// target: f16 subgroups matrices untyped_memory ptx
// Both layouts of every kind of matrix, in words and in halves, and an array of sums that becomes variables.
alias left = subgroup_matrix_left<f16, 16, 16>;
alias right = subgroup_matrix_right<f16, 16, 16>;
alias result = subgroup_matrix_result<f32, 16, 16>;

var<storage, read> x: array<vec4<u32>>;
var<storage, read_write> y: array<vec4f>;
var<workgroup> words: array<vec4<u32>, 128>;
var<workgroup> halves: array<f16, 512>;
var<workgroup> sums: array<f32, 512>;

const steps = 2u;

fn multiplied(a: left, sum: result, at: u32) -> result {
  let b = subgroupMatrixLoad<right>(&words, 512u + at, true, 16u);
  return subgroupMatrixMultiplyAccumulate(a, b, sum);
}

@compute @workgroup_size(64)
fn matrices(@builtin(local_invocation_index) k: u32, @builtin(subgroup_id) group: u32) {
  words[k] = x[k];
  words[k + 64u] = x[k + 64u];
  @unroll for (var i = 0u; i < 8u; i++) {
    halves[k * 8u + i] = f16(k + i);
  }
  workgroupBarrier();
  var acc: array<result, steps>;
  @unroll for (var i = 0u; i < steps; i++) {
    let a = subgroupMatrixLoad<left>(&words, group * 256u, false, 16u);
    acc[i] = multiplied(a, acc[i], i * 256u);
    let b = subgroupMatrixLoad<right>(&halves, i * 256u, false, 16u);
    acc[i] = subgroupMatrixMultiplyAccumulate(subgroupMatrixLoad<left>(&words, 0u, true, 32u), b, acc[i]);
  }
  subgroupMatrixStore(&sums, group * 256u, acc[0], false, 16u);
  workgroupBarrier();
  var again = subgroupMatrixLoad<result>(&sums, group * 256u, true, 16u);
  again = subgroupMatrixMultiplyAccumulate(subgroupMatrixLoad<left>(&words, 0u, false, 16u),
                                           subgroupMatrixLoad<right>(&words, 0u, true, 16u), again);
  workgroupBarrier();
  subgroupMatrixStore(&words, 0u, acc[1], true, 16u);
  if (group == 1u) {
    subgroupMatrixStore(&sums, 0u, again, true, 16u);
  }
  workgroupBarrier();
  y[k] = bitcast<vec4f>(words[k]) + sums[k];
}

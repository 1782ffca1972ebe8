alias left = subgroup_matrix_left<f16, 16, 16>;
alias result = subgroup_matrix_result<f32, 16, 16>;
const size = 8u + 8u;
var<workgroup> words: array<vec2<u32>, 128>;
var<workgroup> halves: array<vec4<f16>, 64>;
var<workgroup> sums: array<vec4f, 64>;

@compute @workgroup_size(32)
fn main(@builtin(subgroup_id) group: u32) {
  let a = subgroupMatrixLoad<left>(&words, 0, false, size);
  let b = subgroupMatrixLoad<subgroup_matrix_right<f16, size, size>>(&halves, group * 16, true, 32);
  var c: array<result, 2>;
  c[1] = subgroupMatrixMultiplyAccumulate(a, b, result());
  let copy = c;
  subgroupMatrixStore(&sums, 0, copy[1], 1 > 2, 16);
}

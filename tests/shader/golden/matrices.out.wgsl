enable f16;
enable subgroups;
enable chromium_experimental_subgroup_matrix;
enable chromium_disable_uniformity_analysis;
diagnostic(off, subgroup_uniformity);

@group(0) @binding(0) var<storage, read> x: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>;
var<workgroup> words: array<vec4<u32>, 128>;
var<workgroup> halves: array<f16, 512>;
var<workgroup> sums: array<f32, 512>;

fn multiplied(a: subgroup_matrix_left<f16, 16, 16>, sum: subgroup_matrix_result<f32, 16, 16>, at: u32) -> subgroup_matrix_result<f32, 16, 16> {
  let b = subgroupMatrixLoad<subgroup_matrix_right<f16, 16, 16>, col_major>(&words, (at + 512u) / 8u, 2u);
  return subgroupMatrixMultiplyAccumulate(a, b, sum);
}

@compute @workgroup_size(64, 1, 1)
fn matrices(@builtin(local_invocation_index) k: u32, @builtin(subgroup_size) subgroup_size: u32) {
  let group = k / subgroup_size;
  words[k] = x[k];
  words[k + 64u] = x[k + 64u];
  halves[k * 8u] = f16(k);
  halves[k * 8u + 1u] = f16(k + 1u);
  halves[k * 8u + 2u] = f16(k + 2u);
  halves[k * 8u + 3u] = f16(k + 3u);
  halves[k * 8u + 4u] = f16(k + 4u);
  halves[k * 8u + 5u] = f16(k + 5u);
  halves[k * 8u + 6u] = f16(k + 6u);
  halves[k * 8u + 7u] = f16(k + 7u);
  workgroupBarrier();
  var acc_0 = subgroup_matrix_result<f32, 16, 16>();
  var acc_1 = subgroup_matrix_result<f32, 16, 16>();
  let a_2 = subgroupMatrixLoad<subgroup_matrix_left<f16, 16, 16>, row_major>(&words, (group * 256u) / 8u, 2u);
  acc_0 = multiplied(a_2, acc_0, 0u);
  let b_2 = subgroupMatrixLoad<subgroup_matrix_right<f16, 16, 16>, row_major>(&halves, 0u, 16u);
  acc_0 = subgroupMatrixMultiplyAccumulate(subgroupMatrixLoad<subgroup_matrix_left<f16, 16, 16>, col_major>(&words, 0u, 4u), b_2, acc_0);
  let a_3 = subgroupMatrixLoad<subgroup_matrix_left<f16, 16, 16>, row_major>(&words, (group * 256u) / 8u, 2u);
  acc_1 = multiplied(a_3, acc_1, 256u);
  let b_3 = subgroupMatrixLoad<subgroup_matrix_right<f16, 16, 16>, row_major>(&halves, 256u, 16u);
  acc_1 = subgroupMatrixMultiplyAccumulate(subgroupMatrixLoad<subgroup_matrix_left<f16, 16, 16>, col_major>(&words, 0u, 4u), b_3, acc_1);
  subgroupMatrixStore<row_major>(&sums, group * 256u, acc_0, 16u);
  workgroupBarrier();
  var again = subgroupMatrixLoad<subgroup_matrix_result<f32, 16, 16>, col_major>(&sums, group * 256u, 16u);
  again = subgroupMatrixMultiplyAccumulate(subgroupMatrixLoad<subgroup_matrix_left<f16, 16, 16>, row_major>(&words, 0u, 2u), subgroupMatrixLoad<subgroup_matrix_right<f16, 16, 16>, col_major>(&words, 0u, 2u), again);
  workgroupBarrier();
  subgroupMatrixStore<col_major>(&words, 0u, acc_1, 4u);
  if (group == 1u) {
    subgroupMatrixStore<col_major>(&sums, 0u, again, 16u);
  }
  workgroupBarrier();
  y[k] = bitcast<vec4<f32>>(words[k]) + sums[k];
}

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
  let b = subgroupMatrixLoad(&words, at + 512u, true, 16u);
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
  let a_2 = subgroupMatrixLoad(&words, group * 256u, false, 16u);
  acc_0 = multiplied(a_2, acc_0, 0u);
  let b_2 = subgroupMatrixLoad(&halves, 0u, false, 16u);
  acc_0 = subgroupMatrixMultiplyAccumulate(subgroupMatrixLoad(&words, 0u, true, 32u), b_2, acc_0);
  let a_3 = subgroupMatrixLoad(&words, group * 256u, false, 16u);
  acc_1 = multiplied(a_3, acc_1, 256u);
  let b_3 = subgroupMatrixLoad(&halves, 256u, false, 16u);
  acc_1 = subgroupMatrixMultiplyAccumulate(subgroupMatrixLoad(&words, 0u, true, 32u), b_3, acc_1);
  subgroupMatrixStore(&sums, group * 256u, acc_0, false, 16u);
  workgroupBarrier();
  var again = subgroupMatrixLoad(&sums, group * 256u, true, 16u);
  again = subgroupMatrixMultiplyAccumulate(subgroupMatrixLoad(&words, 0u, false, 16u), subgroupMatrixLoad(&words, 0u, true, 16u), again);
  workgroupBarrier();
  subgroupMatrixStore(&words, 0u, acc_1, true, 16u);
  if (group == 1u) {
    subgroupMatrixStore(&sums, 0u, again, true, 16u);
  }
  workgroupBarrier();
  y[k] = bitcast<vec4<f32>>(words[k]) + sums[k];
}

enable f16;
enable subgroups;
enable chromium_experimental_subgroup_matrix;
enable chromium_disable_uniformity_analysis;
diagnostic(off, subgroup_uniformity);

@group(0) @binding(0) var<storage, read> x: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>;
var<workgroup> words: array<f16, 1024>;
var<workgroup> halves: array<f16, 512>;
var<workgroup> pairs: array<f16, 512>;
var<workgroup> sums: array<f32, 512>;
var<workgroup> sum_words: array<f32, 256>;

fn store_words(i: u32, v: vec4<u32>) {
  let at = i * 8u;
  let pair_0 = bitcast<vec2<f16>>(v.x);
  words[at] = pair_0.x;
  words[at + 1u] = pair_0.y;
  let pair_1 = bitcast<vec2<f16>>(v.y);
  words[at + 2u] = pair_1.x;
  words[at + 3u] = pair_1.y;
  let pair_2 = bitcast<vec2<f16>>(v.z);
  words[at + 4u] = pair_2.x;
  words[at + 5u] = pair_2.y;
  let pair_3 = bitcast<vec2<f16>>(v.w);
  words[at + 6u] = pair_3.x;
  words[at + 7u] = pair_3.y;
}

fn load_words(i: u32) -> vec4<u32> {
  let at = i * 8u;
  return vec4<u32>(bitcast<u32>(vec2<f16>(words[at], words[at + 1u])), bitcast<u32>(vec2<f16>(words[at + 2u], words[at + 3u])), bitcast<u32>(vec2<f16>(words[at + 4u], words[at + 5u])), bitcast<u32>(vec2<f16>(words[at + 6u], words[at + 7u])));
}

fn store_pairs(i: u32, v: vec2<u32>) {
  let at = i * 4u;
  let pair_0 = bitcast<vec2<f16>>(v.x);
  pairs[at] = pair_0.x;
  pairs[at + 1u] = pair_0.y;
  let pair_1 = bitcast<vec2<f16>>(v.y);
  pairs[at + 2u] = pair_1.x;
  pairs[at + 3u] = pair_1.y;
}

fn load_sums(i: u32) -> vec4<f32> {
  let at = i * 4u;
  return vec4<f32>(sums[at], sums[at + 1u], sums[at + 2u], sums[at + 3u]);
}

fn store_sums(i: u32, v: vec4<f32>) {
  let at = i * 4u;
  sums[at] = v.x;
  sums[at + 1u] = v.y;
  sums[at + 2u] = v.z;
  sums[at + 3u] = v.w;
}

fn load_sum_words(i: u32) -> u32 {
  return bitcast<u32>(sum_words[i]);
}

fn multiplied(a: subgroup_matrix_left<f16, 16, 16>, sum: subgroup_matrix_result<f32, 16, 16>, at: u32) -> subgroup_matrix_result<f32, 16, 16> {
  let b = subgroupMatrixLoad<subgroup_matrix_right<f16, 16, 16>>(&words, at + 512u, true, 16u);
  return subgroupMatrixMultiplyAccumulate(a, b, sum);
}

@compute @workgroup_size(64, 1, 1)
fn matrices(@builtin(local_invocation_index) k: u32, @builtin(subgroup_size) subgroup_size: u32) {
  let group = k / subgroup_size;
  store_words(k, x[k]);
  store_words(k + 64u, x[k + 64u]);
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
  let a_2 = subgroupMatrixLoad<subgroup_matrix_left<f16, 16, 16>>(&words, group * 256u, false, 16u);
  acc_0 = multiplied(a_2, acc_0, 0u);
  let b_2 = subgroupMatrixLoad<subgroup_matrix_right<f16, 16, 16>>(&halves, 0u, false, 16u);
  acc_0 = subgroupMatrixMultiplyAccumulate(subgroupMatrixLoad<subgroup_matrix_left<f16, 16, 16>>(&words, 0u, true, 32u), b_2, acc_0);
  let a_3 = subgroupMatrixLoad<subgroup_matrix_left<f16, 16, 16>>(&words, group * 256u, false, 16u);
  acc_1 = multiplied(a_3, acc_1, 256u);
  let b_3 = subgroupMatrixLoad<subgroup_matrix_right<f16, 16, 16>>(&halves, 256u, false, 16u);
  acc_1 = subgroupMatrixMultiplyAccumulate(subgroupMatrixLoad<subgroup_matrix_left<f16, 16, 16>>(&words, 0u, true, 32u), b_3, acc_1);
  subgroupMatrixStore(&sums, group * 256u, acc_0, false, 16u);
  store_pairs(k * 2u, load_words(k).xy);
  store_pairs(k * 2u + 1u, load_words(k).zw);
  workgroupBarrier();
  store_sums(k, load_sums(k) * 2.0f);
  workgroupBarrier();
  if (load_sums(0u).x > 0.0f) {
    let again = subgroupMatrixLoad<subgroup_matrix_result<f32, 16, 16>>(&sums, group * 256u, false, 16u);
    acc_1 = subgroupMatrixMultiplyAccumulate(subgroupMatrixLoad<subgroup_matrix_left<f16, 16, 16>>(&pairs, 0u, false, 16u), subgroupMatrixLoad<subgroup_matrix_right<f16, 16, 16>>(&words, 0u, true, 16u), again);
    workgroupBarrier();
  }
  if (group == 1u) {
    subgroupMatrixStore(&sum_words, 0u, acc_1, true, 16u);
  }
  workgroupBarrier();
  y[k] = vec4<f32>(bitcast<f32>(load_sum_words(k)), load_sums(k).yzw);
}

enable subgroups;
diagnostic(off, subgroup_uniformity);

@group(0) @binding(0) var<storage, read> w: array<u32>;
@group(0) @binding(1) var<storage, read> x: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
var<workgroup> words: array<u32, 1152>;
var<workgroup> tile: array<vec4<u32>, 256>;
var<private> pipeline_index: u32;

@compute @workgroup_size(128, 1, 1)
fn pipeline(@builtin(local_invocation_index) t: u32) {
  pipeline_index = t;
  if (t == 0u) {
    for (var stage = 0u; stage < 2u; stage++) {
      let to = stage * 576u;
      let from_ = stage * 32u / 32u * 576u + stage * 32u % 32u;
      for (var i_1 = 0u; i_1 < 288u; i_1++) {
        words[to + i_1] = w[from_ + i_1];
      }
      let to_1 = stage * 576u + 288u;
      let from_1 = stage * 32u / 32u * 576u + 288u + stage * 32u % 32u;
      for (var i_2 = 0u; i_2 < 32u; i_2++) {
        words[to_1 + i_2] = w[from_1 + i_2];
      }
      let to_2 = stage * 576u + 320u;
      let from_2 = stage * 32u / 32u * 576u + 288u + stage * 32u % 32u + 32u;
      for (var i_3 = 0u; i_3 < 256u; i_3++) {
        words[to_2 + i_3] = w[from_2 + i_3];
      }
      let to_3 = stage * 128u;
      let from_3 = stage * 128u;
      for (var i_4 = 0u; i_4 < 128u; i_4++) {
        tile[to_3 + i_4] = x[from_3 + i_4];
      }
    }
  }
  var sums = array<f32, 8>();
  for (var stage_1 = 0u; stage_1 < 2u; stage_1++) {
    workgroupBarrier();
    let left_0 = vec4<u32>(words[stage_1 * 576u + t]) & vec4<u32>(983055u);
    let right_offset_2 = stage_1 * 128u;
    let index_2 = pipeline_index;
    for (var q_6 = 0u; q_6 < 4u; q_6++) {
      let part_6 = subgroupShuffle(left_0, index_2 % 32u / 4u * 4u + q_6);
      for (var j_6 = 0u; j_6 < 2u; j_6++) {
        for (var e_6 = 0u; e_6 < 2u; e_6++) {
          let at_6 = right_offset_2 + j_6 * 8u + index_2 % 4u * 2u + e_6;
          let low_6 = tile[at_6][q_6];
          let high_6 = tile[at_6 + 16u][q_6];
          let product_26 = unpack2x16float(part_6.x) * unpack2x16float(low_6);
          let product_27 = unpack2x16float(part_6.z) * unpack2x16float(high_6);
          sums[j_6 * 4u + e_6] += product_26.x + product_26.y + (product_27.x + product_27.y);
          let product_28 = unpack2x16float(part_6.y) * unpack2x16float(low_6);
          let product_29 = unpack2x16float(part_6.w) * unpack2x16float(high_6);
          sums[j_6 * 4u + 2u + e_6] += product_28.x + product_28.y + (product_29.x + product_29.y);
        }
      }
    }
    let left_offset_1 = stage_1 * 128u;
    let right_offset_1_1 = stage_1 * 128u;
    let index_1_1 = pipeline_index;
    let row = index_1_1 % 128u / 32u * 16u + index_1_1 % 32u / 4u;
    let low_left_3 = left_offset_1 + row;
    let c_3 = index_1_1 % 4u;
    let own_7 = vec4<u32>(tile[low_left_3][c_3], tile[low_left_3 + 8u][c_3], tile[low_left_3 + 64u][c_3], tile[low_left_3 + 72u][c_3]);
    for (var q_7 = 0u; q_7 < 4u; q_7++) {
      let part_7 = subgroupShuffle(own_7, index_1_1 % 32u / 4u * 4u + q_7);
      for (var j_7 = 0u; j_7 < 2u; j_7++) {
        for (var e_7 = 0u; e_7 < 2u; e_7++) {
          let at_7 = right_offset_1_1 + j_7 * 8u + index_1_1 % 4u * 2u + e_7;
          let low_7 = tile[at_7][q_7];
          let high_7 = tile[at_7 + 16u][q_7];
          let product_30 = unpack2x16float(part_7.x) * unpack2x16float(low_7);
          let product_31 = unpack2x16float(part_7.z) * unpack2x16float(high_7);
          sums[j_7 * 4u + e_7] += product_30.x + product_30.y + (product_31.x + product_31.y);
          let product_32 = unpack2x16float(part_7.y) * unpack2x16float(low_7);
          let product_33 = unpack2x16float(part_7.w) * unpack2x16float(high_7);
          sums[j_7 * 4u + 2u + e_7] += product_32.x + product_32.y + (product_33.x + product_33.y);
        }
      }
    }
    workgroupBarrier();
  }
  for (var i = 0u; i < 8u; i++) {
    y[t * 8u + i] = sums[i];
  }
}

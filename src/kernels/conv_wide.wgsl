// A convolution on devices with wide registers (CPUs); see wide_patch.wgsl. Also a matrix times each position of an
// image: a window of one tap.
import package::active_rows::active_rows;
import package::parameters::Parameters;
import package::wide_fields::slice_of;
import package::wide_patch::{tile, groups, block, Patch, Sums, clear, gather, multiply, total};
import package::window::{taps, position, input_slices};

@weights var<read> w: weights<vec16<f32>>;
@tensor var<read> x: tensor<f32>;
@tensor var<read> x2: tensor<f32>;
@tensor var<write> y: tensor<f32>;
var<uniform> parameters: Parameters;

@fusion fn epilogue(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

@compute @workgroup_size(1)
fn conv_wide(@builtin(workgroup_id) at: vec3u) {
  let first = at.x * tile;
  let tokens = active_rows(tensorWidth(y), parameters.tokens);
  let first_group = at.y * groups;
  let count_groups = min(groups, (tensorSlices(y) + 3u) / 4u - first_group);
  var gathered: Patch;
  var sums: Sums;
  for (var group = 0u; group < count_groups; group++) {
    clear(group, &sums);
  }
  let columns = taps * input_slices(x, x2);
  for (var begin = 0u; begin < columns; begin += block) {
    let count = min(block, columns - begin);
    gather(x, x2, y, tokens, first, begin, count, &gathered);
    for (var group = 0u; group < count_groups; group++) {
      multiply(w, first_group + group, begin, count, group, &gathered, &sums);
    }
  }
  for (var t = 0u; t < tile; t++) {
    let p = position(y, first + t);
    if (p.y < tensorHeight(y) && p.x < tokens) {
      for (var group = 0u; group < count_groups; group++) {
        let values = total(&sums, group, t);
        @unroll for (var i = 0u; i < 4u; i++) {
          let s = (first_group + group) * 4u + i;
          if (s < tensorSlices(y)) {
            tensorStore(y, p.b, p.y, p.x, s, epilogue(slice_of(values, i), p.b, p.y, p.x, s));
          }
        }
      }
    }
  }
}

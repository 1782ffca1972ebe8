// y = activation(gate x + its bias) * (up x + its bias) for each position of an image, on devices with wide registers
// (CPUs); see wide_patch.wgsl. The activation with the gate's bias is the fusion point `activation`, the other bias
// `up_bias`.
import package::active_rows::active_rows;
import package::parameters::Parameters;
import package::wide_fields::slice_of;
import package::wide_patch::{tile, groups, block, Patch, Sums, clear, gather, multiply, total};
import package::window::{taps, position, input_slices};

@weights var<read> gate: weights<vec16<f32>>;
@weights var<read> up: weights<vec16<f32>>;
@tensor var<read> x: tensor<f32>;
@tensor var<write> y: tensor<f32>;
var<uniform> parameters: Parameters;

@fusion fn activation(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

@fusion fn up_bias(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

@fusion fn epilogue(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

@compute @workgroup_size(1)
fn gated_image_wide(@builtin(workgroup_id) at: vec3u) {
  let first = at.x * tile;
  let tokens = active_rows(tensorWidth(y), parameters.tokens);
  let first_group = at.y * groups;
  let count_groups = min(groups, (tensorSlices(y) + 3u) / 4u - first_group);
  var gathered: Patch;
  var gates: Sums;
  var ups: Sums;
  for (var group = 0u; group < count_groups; group++) {
    clear(group, &gates);
    clear(group, &ups);
  }
  let columns = taps * input_slices(x, x);
  for (var begin = 0u; begin < columns; begin += block) {
    let count = min(block, columns - begin);
    gather(x, x, y, tokens, first, begin, count, &gathered);
    for (var group = 0u; group < count_groups; group++) {
      multiply(gate, first_group + group, begin, count, group, &gathered, &gates);
      multiply(up, first_group + group, begin, count, group, &gathered, &ups);
    }
  }
  for (var t = 0u; t < tile; t++) {
    let p = position(y, first + t);
    if (p.y < tensorHeight(y) && p.x < tokens) {
      for (var group = 0u; group < count_groups; group++) {
        let gate_values = total(&gates, group, t);
        let up_values = total(&ups, group, t);
        @unroll for (var i = 0u; i < 4u; i++) {
          let s = (first_group + group) * 4u + i;
          if (s < tensorSlices(y)) {
            let value = activation(slice_of(gate_values, i), p.b, p.y, p.x, s) *
                        up_bias(slice_of(up_values, i), p.b, p.y, p.x, s);
            tensorStore(y, p.b, p.y, p.x, s, epilogue(value, p.b, p.y, p.x, s));
          }
        }
      }
    }
  }
}

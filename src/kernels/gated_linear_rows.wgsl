// y = activation(gate x) * (up x): linear_rows twice in one pass over x. The activation, with the gate's bias, is the
// fusion point `activation`, the other bias is `up_bias`.
import package::active_rows::active_rows;
import package::half_product::{Words, halves, half_sum, load_ahead, prepare_halves};
import package::parameters::Parameters;
import package::row_product::{tile, lanes, splits, blocks, prepare, add_row_pairs, partials, sides, sums_of, fold, gathered, norm_factor};

@weights var<read> gate: weights<f32>;
@weights var<read> up: weights<f32>;
@tensor var<read> x: tensor<f32>;
@tensor var<read> gamma: tensor<f32>;
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

fn load_side_ahead(is_gate: bool, row: u32, split: u32, words: ptr<function, Words>, next: ptr<function, Words>) {
  if (is_gate) {
    load_ahead(gate, row, split, words, next);
  } else {
    load_ahead(up, row, split, words, next);
  }
}

@compute @workgroup_size(lanes, splits * sides)
fn gated_linear_rows(@builtin(workgroup_id) at: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let first = at.y * tile;
  let tokens = active_rows(tensorWidth(x), parameters.tokens);
  // In halves each invocation has rows of one matrix.
  let split = local.y % splits;
  let is_gate = local.y < splits;
  var words: Words;
  var next: Words;
  if (halves) {
    load_side_ahead(is_gate, at.x * blocks * lanes + local.x, split, &words, &next);
    prepare_halves(x, gamma, local);
  } else {
    prepare(x, gamma, first, tokens, local);
  }
  for (var block = 0u; block < blocks; block++) {
    let group = at.x * blocks + block;
    if (blocks == 1u || group * lanes < weightsRows(gate)) {
      if (halves) {
        let row = group * lanes + local.x;
        var sum = 0.0;
        if (is_gate) {
          sum = half_sum(gate, row, split, words, next);
        } else {
          sum = half_sum(up, row, split, words, next);
        }
        if (block + 1u < blocks && (group + 1u) * lanes < weightsRows(gate)) {
          load_side_ahead(is_gate, row + lanes, split, &words, &next);
        }
        partials[local.y * lanes + local.x] = sum;  // as sums_of() has them
      } else {
        var gate_sums: array<f32, tile>;
        var up_sums: array<f32, tile>;
        add_row_pairs(gate, up, x, gamma, group * lanes + local.x, local.y, first, tokens, &gate_sums, &up_sums);
        @unroll for (var t = 0u; t < tile; t++) {
          partials[sums_of(0u, t) + local.y * lanes + local.x] = gate_sums[t];
          partials[sums_of(1u, t) + local.y * lanes + local.x] = up_sums[t];
        }
      }
      fold(local);
      for (var i = local.y * lanes + local.x; i < tile * lanes / 4u; i += lanes * splits * sides) {
        let t = i / (lanes / 4u);
        let s = group * (lanes / 4u) + i % (lanes / 4u);
        if (first + t < tokens && s < tensorSlices(y)) {
          let factor = norm_factor(t, tensorChannels(x));
          let gate_value = gathered(sums_of(0u, t), i % (lanes / 4u)) * factor;
          let up_value = gathered(sums_of(1u, t), i % (lanes / 4u)) * factor;
          let value = activation(gate_value, 0u, 0u, first + t, s) * up_bias(up_value, 0u, 0u, first + t, s);
          tensorStore(y, first + t, s, epilogue(value, 0u, 0u, first + t, s));
        }
      }
      if (blocks > 1u) {
        workgroupBarrier();  // the next rows use the partial sums' memory
      }
    }
  }
}

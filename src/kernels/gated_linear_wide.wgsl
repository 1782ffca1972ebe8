// y = activation(gate x) * (up x): linear_wide twice in one pass. The activation, with the gate's bias, is the
// fusion point `activation`, the other bias is `up_bias`.
import package::active_rows::active_rows;
import package::parameters::Parameters;
import package::wide_fields::slice_of;
import package::wide_product::{tile, blocks, prepare, add_wide, scaled_sums};

@weights var<read> gate: weights<vec16<f32>>;
@weights var<read> up: weights<vec16<f32>>;
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

@compute @workgroup_size(1)
fn gated_linear_wide(@builtin(workgroup_id) at: vec3u) {
  let first = at.y * tile;
  let tokens = active_rows(tensorWidth(x), parameters.tokens);
  var factors: array<f32, tile>;
  prepare(x, gamma, first, tokens, &factors);
  for (var block = 0u; block < blocks; block++) {
    let rows = at.x * blocks + block;
    if (blocks == 1u || rows * 4u < tensorSlices(y)) {
      var gates: array<vec16<f32>, tile>;
      var ups: array<vec16<f32>, tile>;
      add_wide(gate, x, gamma, rows, first, tokens, &gates);
      add_wide(up, x, gamma, rows, first, tokens, &ups);
      @unroll for (var t = 0u; t < tile; t++) {
        if (first + t < tokens) {
          let gate_values = scaled_sums(gates[t], factors[t]);
          let up_values = scaled_sums(ups[t], factors[t]);
          @unroll for (var i = 0u; i < 4u; i++) {
            let s = rows * 4u + i;
            if (s < tensorSlices(y)) {
              let value = activation(slice_of(gate_values, i), 0u, 0u, first + t, s) *
                          up_bias(slice_of(up_values, i), 0u, 0u, first + t, s);
              tensorStore(y, first + t, s, epilogue(value, 0u, 0u, first + t, s));
            }
          }
        }
      }
    }
  }
}

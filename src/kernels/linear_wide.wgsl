// y[t, r] = sum over c of w[r, c] x[t, c], for devices whose invocations run on wide registers (CPUs): sixteen rows an
// invocation in one vec16, `tile` tokens at once share each decoded weight.
import package::active_rows::active_rows;
import package::parameters::Parameters;
import package::wide_fields::slice_of;
import package::wide_product::{tile, blocks, prepare, add_wide, scaled_sums};

@weights var<read> w: weights<vec16<f32>>;
@tensor var<read> x: tensor<f32>;
@tensor var<read> gamma: tensor<f32>;
@tensor var<write> y: tensor<f32>;
var<uniform> parameters: Parameters;

@fusion fn epilogue(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

@compute @workgroup_size(1)
fn linear_wide(@builtin(workgroup_id) at: vec3u) {
  let first = at.y * tile;
  let tokens = active_rows(tensorWidth(x), parameters.tokens);
  var factors: array<f32, tile>;
  prepare(x, gamma, first, tokens, &factors);
  for (var block = 0u; block < blocks; block++) {
    let rows = at.x * blocks + block;
    if (blocks == 1u || rows * 4u < tensorSlices(y)) {
      var sums: array<vec16<f32>, tile>;
      add_wide(w, x, gamma, rows, first, tokens, &sums);
      @unroll for (var t = 0u; t < tile; t++) {
        if (first + t < tokens) {
          let values = scaled_sums(sums[t], factors[t]);
          @unroll for (var i = 0u; i < 4u; i++) {
            let s = rows * 4u + i;
            if (s < tensorSlices(y)) {
              tensorStore(y, first + t, s, epilogue(slice_of(values, i), 0u, 0u, first + t, s));
            }
          }
        }
      }
    }
  }
}

// y[t, r] = sum over c of w[r, c] x[t, c], for devices with many narrow lanes: `lanes` rows a workgroup, a row a lane,
// the columns divided over `splits` invocations a row; `tile` tokens at once share each decoded weight.
//
// Neighbouring lanes read neighbouring words (row_group = lanes), and all lanes of a split read the same x.
import package::active_rows::active_rows;
import package::half_product::{Words, halves, half_sum, load_ahead, prepare_halves};
import package::parameters::Parameters;
import package::row_product::{tile, lanes, splits, blocks, prepare, add_rows, partials, sums_of, fold, gathered, norm_factor};

@weights var<read> w: weights<f32>;
@tensor var<read> x: tensor<f32>;
@tensor var<read> gamma: tensor<f32>;
@tensor var<write> y: tensor<f32>;
var<uniform> parameters: Parameters;

@fusion fn epilogue(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

@compute @workgroup_size(lanes, splits)
fn linear_rows(@builtin(workgroup_id) at: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let first = at.y * tile;
  let tokens = active_rows(tensorWidth(x), parameters.tokens);
  var words: Words;
  var next: Words;
  if (halves) {
    load_ahead(w, at.x * blocks * lanes + local.x, local.y, &words, &next);
    prepare_halves(x, gamma, local);
  } else {
    prepare(x, gamma, first, tokens, local);
  }
  for (var block = 0u; block < blocks; block++) {
    let group = at.x * blocks + block;
    if (blocks == 1u || group * lanes < weightsRows(w)) {
      var sums: array<f32, tile>;
      if (halves) {
        sums[0] = half_sum(w, group * lanes + local.x, local.y, words, next);
        if (block + 1u < blocks && (group + 1u) * lanes < weightsRows(w)) {
          load_ahead(w, (group + 1u) * lanes + local.x, local.y, &words, &next);
        }
      } else {
        add_rows(w, x, gamma, group * lanes + local.x, local.y, first, tokens, &sums);
      }
      @unroll for (var t = 0u; t < tile; t++) {
        partials[sums_of(0u, t) + local.y * lanes + local.x] = sums[t];
      }
      fold(local);
      for (var i = local.y * lanes + local.x; i < tile * lanes / 4u; i += lanes * splits) {
        let t = i / (lanes / 4u);
        let s = group * (lanes / 4u) + i % (lanes / 4u);
        if (first + t < tokens && s < tensorSlices(y)) {
          let value = gathered(sums_of(0u, t), i % (lanes / 4u)) * norm_factor(t, tensorChannels(x));
          tensorStore(y, first + t, s, epilogue(value, 0u, 0u, first + t, s));
        }
      }
      if (blocks > 1u) {
        workgroupBarrier();  // the next rows use the partial sums' memory
      }
    }
  }
}

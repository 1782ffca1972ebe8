// The merged projections of one token as linear_rows computes them, stored by qkv_store.
import package::half_product::{Words, halves, half_sum, load_ahead, prepare_halves};
import package::parameters::Parameters;
import package::qkv_store::{qkv_slices, store_qkv};
import package::row_product::{tile, lanes, splits, blocks, prepare, add_rows, partials, sums_of, fold, gathered, norm_factor};

@weights var<read> w: weights<f32>;
@tensor var<read> x: tensor<f32>;
@tensor var<read> gamma: tensor<f32>;
var<uniform> parameters: Parameters;

@compute @workgroup_size(lanes, splits)
fn qkv_rows(@builtin(workgroup_id) at: vec3u, @builtin(local_invocation_id) local: vec3u) {
  var words: Words;
  var next: Words;
  if (halves) {
    load_ahead(w, at.x * blocks * lanes + local.x, local.y, &words, &next);
    prepare_halves(x, gamma, local);
  } else {
    prepare(x, gamma, 0u, 1u, local);
  }
  for (var block = 0u; block < blocks; block++) {
    let rows = at.x * blocks + block;
    if (blocks == 1u || rows * lanes < weightsRows(w)) {
      var sums: array<f32, tile>;
      if (halves) {
        sums[0] = half_sum(w, rows * lanes + local.x, local.y, words, next);
        if (block + 1u < blocks && (rows + 1u) * lanes < weightsRows(w)) {
          load_ahead(w, (rows + 1u) * lanes + local.x, local.y, &words, &next);
        }
      } else {
        add_rows(w, x, gamma, rows * lanes + local.x, local.y, 0u, 1u, &sums);
      }
      partials[sums_of(0u, 0u) + local.y * lanes + local.x] = sums[0];
      fold(local);
      for (var i = local.y * lanes + local.x; i < lanes / 4u; i += lanes * splits) {
        let s = rows * (lanes / 4u) + i;
        if (s < qkv_slices) {
          let value = gathered(sums_of(0u, 0u), i) * norm_factor(0u, tensorChannels(x));
          store_qkv(value, parameters.position, s);
        }
      }
      if (blocks > 1u) {
        workgroupBarrier();  // the next rows use the partial sums' memory
      }
    }
  }
}

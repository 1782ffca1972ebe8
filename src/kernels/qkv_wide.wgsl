// The merged projections of one token as linear_wide computes them, stored by qkv_store.
import package::parameters::Parameters;
import package::qkv_store::{qkv_slices, store_qkv};
import package::wide_fields::slice_of;
import package::wide_product::{tile, blocks, prepare, add_wide, scaled_sums};

@weights var<read> w: weights<vec16<f32>>;
@tensor var<read> x: tensor<f32>;
@tensor var<read> gamma: tensor<f32>;
var<uniform> parameters: Parameters;

@compute @workgroup_size(1)
fn qkv_wide(@builtin(workgroup_id) at: vec3u) {
  var factors: array<f32, tile>;
  prepare(x, gamma, 0u, 1u, &factors);
  for (var block = 0u; block < blocks; block++) {
    let rows = at.x * blocks + block;
    if (blocks == 1u || rows * 4u < qkv_slices) {
      var sums: array<vec16<f32>, tile>;
      add_wide(w, x, gamma, rows, 0u, 1u, &sums);
      let values = scaled_sums(sums[0], factors[0]);
      @unroll for (var i = 0u; i < 4u; i++) {
        let s = rows * 4u + i;
        if (s < qkv_slices) {
          store_qkv(slice_of(values, i), parameters.position, s);
        }
      }
    }
  }
}

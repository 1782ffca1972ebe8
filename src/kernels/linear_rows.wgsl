// y[t, r] = sum over c of w[r, c] x[t, c], for devices with many narrow lanes: `lanes` rows a workgroup, a row a lane,
// the columns divided over `splits` invocations a row; `tile` tokens at once share each decoded weight.
//
// Neighbouring lanes read neighbouring words (row_group = lanes), and all lanes of a split read the same x.
import package::active_rows::active_rows;
import package::parameters::Parameters;
import package::row_product::{tile, lanes, splits, add_rows, partials, gathered};

@weights var<read> w: weights<f32>;
@tensor var<read> x: tensor<f32>;
@tensor var<write> y: tensor<f32>;
var<uniform> parameters: Parameters;

@fusion fn epilogue(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

@compute @workgroup_size(lanes, splits)
fn linear_rows(@builtin(workgroup_id) at: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let first = at.y * tile;
  let tokens = active_rows(tensorWidth(x), parameters.tokens);
  var sums: array<f32, tile>;
  add_rows(w, x, at.x * lanes + local.x, local.y, first, tokens, &sums);
  @unroll for (var t = 0u; t < tile; t++) {
    partials[(t * splits + local.y) * lanes + local.x] = sums[t];
  }
  workgroupBarrier();
  for (var i = local.y * lanes + local.x; i < tile * lanes / 4u; i += lanes * splits) {
    let t = i / (lanes / 4u);
    let s = at.x * (lanes / 4u) + i % (lanes / 4u);
    if (first + t < tokens && s < tensorSlices(y)) {
      tensorStore(y, first + t, s, epilogue(gathered(t, i % (lanes / 4u)), 0u, 0u, first + t, s));
    }
  }
}

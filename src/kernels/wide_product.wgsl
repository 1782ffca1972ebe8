// The products of linear_wide and gated_linear_wide: sixteen rows of weights in a vec16, times `tile` tokens.
override tile: u32;  // tokens of a workgroup

// Four sums for each token break the chain of dependent additions where there are too few tokens to hide it.
const chains = select(1u, 4u, tile < 4u);

fn add_wide(w: weights<vec16<f32>>, x: tensor<f32>, rows: u32, first: u32, tokens: u32, sums: ptr<function, array<vec16<f32>, tile>>) {
  var chain: array<vec16<f32>, tile * chains>;
  let whole = weightsColumns(w) / 32u;
  for (var chunk = 0u; chunk < whole; chunk++) {
    @unroll for (var part = 0u; part < 8u; part++) {
      let values = weightsLoadPart(w, rows, chunk, part);
      @unroll for (var t = 0u; t < tile; t++) {
        let v = tensorLoad(x, min(first + t, tokens - 1u), chunk * 8u + part);
        chain[t * chains] = fma(values[0], vec16<f32>(v.x), chain[t * chains]);
        chain[t * chains + 1u % chains] = fma(values[1], vec16<f32>(v.y), chain[t * chains + 1u % chains]);
        chain[t * chains + 2u % chains] = fma(values[2], vec16<f32>(v.z), chain[t * chains + 2u % chains]);
        chain[t * chains + 3u % chains] = fma(values[3], vec16<f32>(v.w), chain[t * chains + 3u % chains]);
      }
    }
  }
  if (weightsColumns(w) % 32u != 0u) {
    for (var s = whole * 8u; s < tensorSlices(x); s++) {
      let values = weightsLoadPart(w, rows, whole, s - whole * 8u);
      @unroll for (var t = 0u; t < tile; t++) {
        let v = tensorLoad(x, min(first + t, tokens - 1u), s);
        chain[t * chains] = fma(values[0], vec16<f32>(v.x), chain[t * chains]);
        chain[t * chains] = fma(values[1], vec16<f32>(v.y), chain[t * chains]);
        chain[t * chains] = fma(values[2], vec16<f32>(v.z), chain[t * chains]);
        chain[t * chains] = fma(values[3], vec16<f32>(v.w), chain[t * chains]);
      }
    }
  }
  @unroll for (var t = 0u; t < tile; t++) {
    var sum = chain[t * chains];
    @unroll for (var i = 1u; i < chains; i++) {
      sum += chain[t * chains + i];
    }
    (*sums)[t] = sum;
  }
}

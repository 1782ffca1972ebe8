// The products of linear_rows and gated_linear_rows: a row of weights a lane, times `tile` tokens.
override lanes: u32;   // rows of a workgroup, a multiple of four
override splits: u32;  // invocations that share the columns of a row
override tile: u32;    // tokens of a workgroup

var<workgroup> partials: array<f32, tile * splits * lanes>;

// Adds the share `split` of row `row` times each of the tokens first .. first + tile - 1; tokens past the active ones
// repeat the last, so that nothing unwritten is read.
fn add_rows(w: weights<f32>, x: tensor<f32>, row: u32, split: u32, first: u32, tokens: u32, sums: ptr<function, array<f32, tile>>) {
  let whole = weightsColumns(w) / 32u;
  for (var chunk = split; chunk < whole; chunk += splits) {
    let values = weightsLoadChunk(w, row, chunk);
    @unroll for (var t = 0u; t < tile; t++) {
      let token = min(first + t, tokens - 1u);
      var sum = 0.0;
      @unroll for (var part = 0u; part < 8u; part++) {
        sum += dot(values[part], tensorLoad(x, token, chunk * 8u + part));
      }
      (*sums)[t] += sum;
    }
  }
  if (weightsColumns(w) % 32u != 0u) {
    for (var s = whole * 8u + split; s < tensorSlices(x); s += splits) {
      let values = weightsLoad(w, row, s);
      @unroll for (var t = 0u; t < tile; t++) {
        (*sums)[t] += dot(values, tensorLoad(x, min(first + t, tokens - 1u), s));
      }
    }
  }
}

// The sum over the splits of rows 4 s to 4 s + 3 for token t.
fn gathered(t: u32, s: u32) -> vec4f {
  var value = vec4f();
  for (var split = 0u; split < splits; split++) {
    let at = (t * splits + split) * lanes + 4u * s;
    value += vec4f(partials[at], partials[at + 1u], partials[at + 2u], partials[at + 3u]);
  }
  return value;
}

// The products of linear_wide and gated_linear_wide: sixteen rows of weights in a vec16, times `tile` tokens.
override tile: u32;                 // tokens of a workgroup
override blocks: u32 = 1;           // groups of sixteen rows that a workgroup does, one after the other
override staged_slices: u32 = 0;    // of a token with its norm's factors, kept for all of them; 0: none
override normalizes: bool = false;  // an RMS norm of x comes first
override epsilon: f32 = 0.0;        // of the norm

// Four sums for each token break the chain of dependent additions where there are too few tokens to hide it.
const chains = select(1u, 4u, tile < 4u);

const stages = staged_slices > 0u;
const lines = 4u;  // independent chains of a sum of squares

var<workgroup> staged: array<vec4f, tile * max(staged_slices, 1u)>;

// Where a norm comes first: x * gamma for every group of rows, and 1 / sqrt(mean of squares + epsilon), by which the sums
// are multiplied at last.
fn prepare(x: tensor<f32>, gamma: tensor<f32>, first: u32, tokens: u32, factors: ptr<function, array<f32, tile>>) {
  if (normalizes) {
    @unroll for (var t = 0u; t < tile; t++) {
      let token = min(first + t, tokens - 1u);
      var squares: array<vec4f, lines>;
      for (var s = 0u; s < tensorSlices(x) / lines; s++) {
        @unroll for (var i = 0u; i < lines; i++) {
          let v = tensorLoad(x, token, s * lines + i);
          squares[i] = fma(v, v, squares[i]);
          if (stages) {
            staged[t * staged_slices + s * lines + i] = v * tensorLoad(gamma, s * lines + i);
          }
        }
      }
      for (var s = tensorSlices(x) / lines * lines; s < tensorSlices(x); s++) {
        let v = tensorLoad(x, token, s);
        squares[0] = fma(v, v, squares[0]);
        if (stages) {
          staged[t * staged_slices + s] = v * tensorLoad(gamma, s);
        }
      }
      let sum = (squares[0] + squares[1]) + (squares[2] + squares[3]);
      let mean = ((sum.x + sum.y) + (sum.z + sum.w)) / f32(tensorChannels(x));
      (*factors)[t] = inverseSqrt(mean + epsilon);
    }
  }
}

// The sums of a group of rows for token t, after the norm's factor.
fn scaled_sums(sums: vec16<f32>, factor: f32) -> vec16<f32> {
  var result = sums;
  if (normalizes) {
    result = sums * vec16<f32>(factor);
  }
  return result;
}

// Tokens past the active ones repeat the last, so that nothing unwritten is read.
fn input(x: tensor<f32>, gamma: tensor<f32>, t: u32, token: u32, s: u32) -> vec4f {
  var value = vec4f();
  if (stages) {
    value = staged[t * staged_slices + s];
  } else if (normalizes) {
    value = tensorLoad(x, token, s) * tensorLoad(gamma, s);
  } else {
    value = tensorLoad(x, token, s);
  }
  return value;
}

fn add_wide(w: weights<vec16<f32>>, x: tensor<f32>, gamma: tensor<f32>, rows: u32, first: u32, tokens: u32, sums: ptr<function, array<vec16<f32>, tile>>) {
  var chain: array<vec16<f32>, tile * chains>;
  let whole = weightsColumns(w) / 32u;
  for (var chunk = 0u; chunk < whole; chunk++) {
    @unroll for (var part = 0u; part < 8u; part++) {
      let values = weightsLoadPart(w, rows, chunk, part);
      @unroll for (var t = 0u; t < tile; t++) {
        let v = input(x, gamma, t, min(first + t, tokens - 1u), chunk * 8u + part);
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
        let v = input(x, gamma, t, min(first + t, tokens - 1u), s);
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

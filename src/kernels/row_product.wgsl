// The products of linear_rows and gated_linear_rows: a row of weights a lane, times `tile` tokens.
override lanes: u32;               // rows of a workgroup, a multiple of four
override splits: u32;              // invocations that share the columns of a row
override tile: u32;                // tokens of a workgroup
override matrices: u32 = 1;        // products of the same rows: of a gated linear two
override blocks: u32 = 1;          // groups of `lanes` rows that a workgroup does, one after the other
override turns: u32 = 1;           // chunks of a row whose loads an invocation may issue before it multiplies the first
override staged_slices: u32 = 0;   // of a token, kept in workgroup memory; 0: x is loaded where it is multiplied
override sides: u32 = 1;           // 2: of two matrices, invocations beyond the splits of the first have the second
override normalizes: bool = false; // an RMS norm of x comes first
override neighbours: u32 = 0;      // invocations that have summed their squares among themselves; 0: those of a split sum
override epsilon: f32 = 0.0;       // of the norm

const stages = staged_slices > 0u;
const invocations = lanes * splits;
const workers = invocations * sides;

const square_sums = select(workers / max(neighbours, 1u), lanes, neighbours == 0u);  // of a token, for norm_factor

@uninitialized var<workgroup> partials: array<f32, matrices * tile * invocations>;
@uninitialized var<workgroup> staged: array<vec4f, tile * max(staged_slices, 1u)>;
@uninitialized var<workgroup> squares: array<f32, tile * select(square_sums, workers, neighbours == 0u)>;

// Reads the tokens once, if anything is kept of them: x (times gamma) for every invocation, and the sums of squares.
// The factor of the norm is the same for all columns, so it waits until the product is summed (norm_factor).
fn prepare(x: tensor<f32>, gamma: tensor<f32>, first: u32, tokens: u32, local: vec3u) {
  if (stages || normalizes) {
    let invocation = local.y * lanes + local.x;
    @unroll for (var t = 0u; t < tile; t++) {
      var sum = 0.0;
      for (var s = invocation; s < tensorSlices(x); s += invocations) {
        let value = tensorLoad(x, min(first + t, tokens - 1u), s);
        sum += dot(value, value);
        if (stages && normalizes) {
          staged[t * staged_slices + s] = value * tensorLoad(gamma, s);
        } else if (stages) {
          staged[t * staged_slices + s] = value;
        }
      }
      if (normalizes) {
        squares[t * workers + invocation] = sum;
      }
    }
    workgroupBarrier();
    gather_squares(local);
  }
}

// The first invocations add the sums of the others, which go on to the product.
fn gather_squares(local: vec3u) {
  if (normalizes && local.y == 0u) {
    @unroll for (var t = 0u; t < tile; t++) {
      var sum = squares[t * workers + local.x];
      for (var split = 1u; split < splits * sides; split++) {
        sum += squares[t * workers + split * lanes + local.x];
      }
      squares[t * workers + local.x] = sum;
    }
  }
}

// 1 / sqrt(mean of squares + epsilon) of token t, once fold() is done; 1 without a norm.
fn norm_factor(t: u32, channels: u32) -> f32 {
  var factor = 1.0;
  if (normalizes) {
    var sum = 0.0;
    @unroll for (var i = 0u; i < square_sums; i++) {
      sum += squares[t * workers + i];
    }
    factor = inverseSqrt(sum / f32(channels) + epsilon);
  }
  return factor;
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

// A chunk is 32 columns.
fn add_chunk(w: weights<f32>, x: tensor<f32>, gamma: tensor<f32>, row: u32, chunk: u32, first: u32, tokens: u32, sums: ptr<function, array<f32, tile>>) {
  let values = weightsLoadChunk(w, row, chunk);
  @unroll for (var t = 0u; t < tile; t++) {
    let token = min(first + t, tokens - 1u);
    var sum = 0.0;
    @unroll for (var part = 0u; part < 8u; part++) {
      sum += dot(values[part], input(x, gamma, t, token, chunk * 8u + part));
    }
    (*sums)[t] += sum;
  }
}

fn add_slice(w: weights<f32>, x: tensor<f32>, gamma: tensor<f32>, row: u32, s: u32, first: u32, tokens: u32, sums: ptr<function, array<f32, tile>>) {
  let values = weightsLoad(w, row, s);
  @unroll for (var t = 0u; t < tile; t++) {
    (*sums)[t] += dot(values, input(x, gamma, t, min(first + t, tokens - 1u), s));
  }
}

// Adds the share `split` of row `row` times each of the tokens first .. first + tile - 1.
fn add_rows(w: weights<f32>, x: tensor<f32>, gamma: tensor<f32>, row: u32, split: u32, first: u32, tokens: u32, sums: ptr<function, array<f32, tile>>) {
  let whole = weightsColumns(w) / 32u;
  let rounds = whole / (splits * turns);
  for (var round = 0u; round < rounds; round++) {
    @unroll for (var turn = 0u; turn < turns; turn++) {
      add_chunk(w, x, gamma, row, (round * turns + turn) * splits + split, first, tokens, sums);
    }
  }
  for (var chunk = rounds * turns * splits + split; chunk < whole; chunk += splits) {
    add_chunk(w, x, gamma, row, chunk, first, tokens, sums);
  }
  if (weightsColumns(w) % 32u != 0u) {
    for (var s = whole * 8u + split; s < tensorSlices(x); s += splits) {
      add_slice(w, x, gamma, row, s, first, tokens, sums);
    }
  }
}

// The same of two matrices of one shape, whose loads may thus be under way together.
fn add_row_pairs(a: weights<f32>, b: weights<f32>, x: tensor<f32>, gamma: tensor<f32>, row: u32, split: u32, first: u32, tokens: u32, a_sums: ptr<function, array<f32, tile>>, b_sums: ptr<function, array<f32, tile>>) {
  let whole = weightsColumns(a) / 32u;
  let rounds = whole / (splits * turns);
  for (var round = 0u; round < rounds; round++) {
    @unroll for (var turn = 0u; turn < turns; turn++) {
      let chunk = (round * turns + turn) * splits + split;
      add_chunk(a, x, gamma, row, chunk, first, tokens, a_sums);
      add_chunk(b, x, gamma, row, chunk, first, tokens, b_sums);
    }
  }
  for (var chunk = rounds * turns * splits + split; chunk < whole; chunk += splits) {
    add_chunk(a, x, gamma, row, chunk, first, tokens, a_sums);
    add_chunk(b, x, gamma, row, chunk, first, tokens, b_sums);
  }
  if (weightsColumns(a) % 32u != 0u) {
    for (var s = whole * 8u + split; s < tensorSlices(x); s += splits) {
      add_slice(a, x, gamma, row, s, first, tokens, a_sums);
      add_slice(b, x, gamma, row, s, first, tokens, b_sums);
    }
  }
}

// Where the sums of a matrix, 0 or 1, for token t lie among the partial sums.
fn sums_of(matrix: u32, t: u32) -> u32 {
  return (matrix * tile + t) * invocations;
}

const folded = min(splits, 4u);

// Makes `folded` shares of all, which gathered() adds: many invocations do the most of it.
fn fold(local: vec3u) {
  if (splits > folded) {
    workgroupBarrier();
    if (local.y < folded) {
      for (var part = 0u; part < matrices * tile; part++) {
        var sum = 0.0;
        for (var split = local.y; split < splits; split += folded) {
          sum += partials[part * invocations + split * lanes + local.x];
        }
        partials[part * invocations + local.y * lanes + local.x] = sum;
      }
    }
  }
  workgroupBarrier();
}

// The sum over the splits of rows 4 s to 4 s + 3 of the partial sums that begin at `sums`.
fn gathered(sums: u32, s: u32) -> vec4f {
  var value = vec4f();
  for (var split = 0u; split < folded; split++) {
    let at = sums + split * lanes + 4u * s;
    value += vec4f(partials[at], partials[at + 1u], partials[at + 2u], partials[at + 3u]);
  }
  return value;
}

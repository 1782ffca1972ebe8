// The products of integer_linear_rows: a row of weights a lane, times the integers of `tile` tokens.
//
// Sums of products are exact: those of 32 columns are summed in an i32 and multiplied with the scales of both blocks.
import package::byte_fields::has_minimum;
import package::integer_fields::{load_integers, load_scale};
import package::quantize::{inverse_of, largest_of, load_chunk, packed, scale_of};

override row_lanes: u32;  // rows of a workgroup, a multiple of four
override splits: u32;     // invocations that share the columns of a row
override tile: u32;       // tokens of a workgroup
override matrices: u32;   // that are multiplied with the same input
override stages: bool;    // the input, of one token, is made integers here; else it comes as words
override words: u32;      // of a token, eight a chunk of 32 columns

const invocations = row_lanes * splits;
const chunks = words / 8u;
const staged_chunks = select(1u, chunks, stages);

var<workgroup> partials: array<f32, matrices * tile * splits * row_lanes>;
var<workgroup> staged: array<u32, 8u * staged_chunks>;
var<workgroup> staged_scales: array<f32, staged_chunks>;

// Makes x integers in workgroup memory. Each invocation calls it.
fn stage(x: tensor<f32>, invocation: u32) {
  for (var chunk = invocation; chunk < chunks; chunk += invocations) {
    let channels = load_chunk(x, 0u, chunk);
    let largest = largest_of(channels);
    let inverse = inverse_of(largest);
    @unroll for (var j = 0u; j < 8u; j++) {
      staged[chunk * 8u + j] = packed(channels[j], inverse);
    }
    staged_scales[chunk] = scale_of(largest);
  }
  workgroupBarrier();
}

fn input_scale(scale: tensor<f32>, token: u32, chunk: u32) -> f32 {
  if (stages) {
    return staged_scales[chunk];
  }
  return tensorLoad(scale, token, chunk / 4u)[chunk % 4u];
}

fn input_words(q: tensor<u32>, token: u32, chunk: u32) -> array<u32, 8> {
  var result: array<u32, 8>;
  if (stages) {
    @unroll for (var j = 0u; j < 8u; j++) {
      result[j] = staged[chunk * 8u + j];
    }
  } else {
    let a = tensorLoad(q, token, chunk * 2u);
    let b = tensorLoad(q, token, chunk * 2u + 1u);
    @unroll for (var j = 0u; j < 4u; j++) {
      result[j] = a[j];
      result[j + 4u] = b[j];
    }
  }
  return result;
}

// The share `split` of row `row` times each of the tokens first .. first + tile - 1; tokens past the active ones repeat
// the last, so that nothing unwritten is read.
fn add_row(w: weights<f32>, q: tensor<u32>, scale: tensor<f32>, matrix: u32, row: u32, row_lane: u32, split: u32, first: u32, tokens: u32) {
  var sums: array<f32, tile>;
  for (var chunk = split; chunk < chunks; chunk += splits) {
    let integers = load_integers(w, row, chunk);
    let scales = load_scale(w, row, chunk);
    @unroll for (var t = 0u; t < tile; t++) {
      let token = min(first + t, tokens - 1u);
      let input = input_words(q, token, chunk);
      let factor = input_scale(scale, token, chunk);
      var sum = 0i;
      var total = 0i;
      @unroll for (var j = 0u; j < 8u; j++) {
        sum += dot4I8Packed(integers[j], input[j]);
        if (has_minimum) {
          total += dot4I8Packed(0x01010101u, input[j]);
        }
      }
      sums[t] = fma(scales.x * factor, f32(sum), sums[t]);
      if (has_minimum) {
        sums[t] = fma(scales.y * factor, f32(total), sums[t]);
      }
    }
  }
  @unroll for (var t = 0u; t < tile; t++) {
    partials[((matrix * tile + t) * splits + split) * row_lanes + row_lane] = sums[t];
  }
}

// The sum over the splits of rows 4 s to 4 s + 3 of a matrix for token t.
fn gathered(matrix: u32, t: u32, s: u32) -> vec4f {
  var value = vec4f();
  for (var split = 0u; split < splits; split++) {
    let at = ((matrix * tile + t) * splits + split) * row_lanes + 4u * s;
    value += vec4f(partials[at], partials[at + 1u], partials[at + 2u], partials[at + 3u]);
  }
  return value;
}

// Packed weights as integers: 32 columns of a row as eight words of four signed bytes, in the order of the columns, and
// what they are multiplied with. value = scale * integer + minimum, times the scale of the row in formats that have one.
import package::packed_fields::{fifth_bits, half_of};

override weights_kind: u32;

const q8_0 = 1u;
const q4_0 = 2u;
const q4_1 = 3u;
const q5_0 = 4u;
const q5_1 = 5u;
const i8c = 6u;
const i4c = 7u;

const has_minimum = weights_kind == q4_1 || weights_kind == q5_1;
const has_row_scale = weights_kind == i8c || weights_kind == i4c;  // that the kernel multiplies sums of a row with

alias Words = array<u32, 8>;

// Each byte, at most 127, less that of `term`, at most 128: no byte borrows from the next.
fn less(bytes: u32, term: u32) -> u32 {
  return ((bytes | 0x80808080u) - term) ^ 0x80808080u;
}

// The words of a block whose nibbles begin at word `first`: value j and value j + 16 share a byte.
fn nibbles(w: weights<f32>, row: u32, unit: u32, first: u32) -> Words {
  var words: Words;
  @unroll for (var j = 0u; j < 4u; j++) {
    let packed = weightsWord(w, row, unit, first + j);
    words[j] = packed & 0x0f0f0f0fu;
    words[j + 4u] = (packed >> 4u) & 0x0f0f0f0fu;
  }
  return words;
}

// The same with a fifth bit each, bit i of `high` that of value i.
fn five_bits(w: weights<f32>, row: u32, unit: u32, first: u32, high: u32) -> Words {
  var words = nibbles(w, row, unit, first);
  @unroll for (var j = 0u; j < 8u; j++) {
    words[j] = words[j] | fifth_bits(high >> (4u * j));
  }
  return words;
}

fn all_less(words: Words, term: u32) -> Words {
  var result: Words;
  @unroll for (var j = 0u; j < 8u; j++) {
    result[j] = less(words[j], term);
  }
  return result;
}

// Columns 32 chunk to 32 chunk + 31. The units are described in formats/.
fn load_integers(w: weights<f32>, row: u32, chunk: u32) -> Words {
  let unit = chunk / 2u;
  let block = chunk % 2u;
  if (weights_kind == q4_0) {
    return all_less(nibbles(w, row, unit, 1u + 4u * block), 0x08080808u);
  }
  if (weights_kind == q4_1) {
    return nibbles(w, row, chunk, 1u);
  }
  if (weights_kind == q5_0) {
    return all_less(five_bits(w, row, unit, 3u + 4u * block, weightsWord(w, row, unit, 1u + block)), 0x10101010u);
  }
  if (weights_kind == q5_1) {
    return five_bits(w, row, chunk, 2u, weightsWord(w, row, chunk, 1u));
  }
  if (weights_kind == i4c) {
    // A nibble in the upper half of a byte is sixteen times its value.
    var words: Words;
    @unroll for (var j = 0u; j < 4u; j++) {
      let packed = weightsWord(w, row, chunk, j);
      words[j] = (packed << 4u) & 0xf0f0f0f0u;
      words[j + 4u] = packed & 0xf0f0f0f0u;
    }
    return words;
  }
  var words: Words;
  @unroll for (var j = 0u; j < 8u; j++) {
    words[j] = weightsWord(w, row, select(unit, chunk, has_row_scale), select(1u + 8u * block, 0u, has_row_scale) + j);
  }
  return words;
}

// (scale, minimum) of these columns.
fn load_scale(w: weights<f32>, row: u32, chunk: u32) -> vec2f {
  if (has_minimum) {
    return unpack2x16float(weightsWord(w, row, chunk, 0u));
  }
  if (has_row_scale) {
    return vec2f(select(1.0, 0.0625, weights_kind == i4c), 0.0);
  }
  return vec2f(half_of(weightsWord(w, row, chunk / 2u, 0u), chunk % 2u), 0.0);
}

// Packed weights as bytes: 32 columns of a row as eight words of four bytes, in the order of the columns, and what they
// stand for. value = scale * (byte - bias) + minimum, times the scale of the row in formats that have one.
import package::packed_fields::{fifth_bits, half_of};

override weights_kind: u32 = 0;  // 0: a format without such bytes

const q8_0 = 1u;
const q4_0 = 2u;
const q4_1 = 3u;
const q5_0 = 4u;
const q5_1 = 5u;
const i8c = 6u;
const i4c = 7u;

const has_minimum = weights_kind == q4_1 || weights_kind == q5_1;
const has_row_scale = weights_kind == i8c || weights_kind == i4c;  // that the kernel multiplies sums of a row with
const has_bytes = weights_kind == q8_0 || weights_kind == i8c;
const has_fifth_bits = weights_kind == q5_0 || weights_kind == q5_1;
const is_paired = weights_kind == q8_0 || weights_kind == q4_0 || weights_kind == q5_0;  // a unit holds two chunks

// The words of a chunk: the word of its scale, that of the fifth bits, the values.
const fifth_word = select(1u, 0u, has_row_scale);
const first_word = fifth_word + select(0u, 1u, has_fifth_bits);
const value_words = select(4u, 8u, has_bytes);
const raw_words = first_word + value_words;
alias Raw = array<u32, raw_words>;
alias Words = array<u32, 8>;

const bias = select(select(select(0u, 8u, weights_kind == q4_0 || weights_kind == i4c), 16u, weights_kind == q5_0), 128u, has_bytes);

// As they lie in memory: columns 32 chunk to 32 chunk + 31. The units are described in formats/.
fn load_raw(w: weights<f32>, row: u32, chunk: u32) -> Raw {
  let unit = select(chunk, chunk / 2u, is_paired);
  let block = select(0u, chunk % 2u, is_paired);
  var raw: Raw;
  if (!has_row_scale) {
    raw[0] = weightsWord(w, row, unit, 0u);
  }
  if (has_fifth_bits) {
    raw[fifth_word] = weightsWord(w, row, unit, 1u + block);
  }
  // The values are the last words of a unit, whole runs of four.
  @unroll for (var run = 0u; run < value_words / 4u; run++) {
    let four = weightsWords(w, row, unit, block * (value_words / 4u) + run);
    @unroll for (var j = 0u; j < 4u; j++) {
      raw[first_word + 4u * run + j] = four[j];
    }
  }
  return raw;
}

fn bytes_of(raw: Raw) -> Words {
  var words: Words;
  @unroll for (var j = 0u; j < value_words; j++) {
    let packed = raw[first_word + j];
    if (has_bytes) {
      words[j] = packed ^ 0x80808080u;
    } else {
      words[j] = packed & 0x0f0f0f0fu;
      words[j + 4u] = (packed >> 4u) & 0x0f0f0f0fu;
    }
  }
  if (weights_kind == i4c) {
    @unroll for (var j = 0u; j < 8u; j++) {
      words[j] = words[j] ^ 0x08080808u;
    }
  }
  if (has_fifth_bits) {
    @unroll for (var j = 0u; j < 8u; j++) {
      words[j] = words[j] | fifth_bits(raw[fifth_word] >> (4u * j));
    }
  }
  return words;
}

// (scale, minimum) of these columns.
fn scale_of(raw: Raw, chunk: u32) -> vec2f {
  if (has_minimum) {
    return unpack2x16float(raw[0]);
  }
  if (has_row_scale) {
    return vec2f(1.0, 0.0);
  }
  return vec2f(half_of(raw[0], chunk % 2u), 0.0);
}

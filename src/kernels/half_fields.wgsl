// What products of one token in f16 (half_product) read of a row of weights: pieces of as many chunks of 32 columns as
// share words, and of each chunk eight words of four bytes in the order of the columns. A number is the low bits of its
// byte; value = scale * (number - bias) + minimum.
import package::byte_fields::{bytes_of, first_word as first_byte_word, has_fifth_bits, has_minimum as byte_minimum, load_raw as load_bytes, q4_0, q4_1, raw_words as byte_raw_words, scale_of as byte_scale, weights_kind};
import package::byte_fields::{bias as byte_bias};
import package::packed_fields::{half_of, scale_and_minimum};

// Kinds besides those of byte_fields: superblocks of 256 columns, whose units are described in formats/.
const q4_k = 8u;
const q5_k = 9u;
const q6_k = 10u;
const is_super = weights_kind >= q4_k;

// Of each 64 columns (q4_k, q5_k) or 128 (q6_k) one word holds values of all chunks.
const piece_chunks = select(1u, select(2u, 4u, weights_kind == q6_k), is_super);
const has_two_scales = weights_kind == q6_k;  // of a chunk, of 16 columns each
const has_minimum = byte_minimum || weights_kind == q4_k || weights_kind == q5_k;
const bias = select(byte_bias, select(0u, 32u, weights_kind == q6_k), is_super);

// Behind the scales lie the upper bits, if the format has some, then the nibbles.
const scale_words = select(4u, 5u, weights_kind == q6_k);
const upper_words = select(8u, 0u, weights_kind == q4_k);
const nibble_words = select(8u, 16u, weights_kind == q6_k);
const raw_words = select(byte_raw_words, scale_words + upper_words + nibble_words, is_super);
alias Raw = array<u32, raw_words>;
alias Words = array<u32, 8>;

// The bits of a number in the lower byte of a half word; those of nibbles alone need no other step.
const are_nibbles = weights_kind == q4_0 || weights_kind == q4_1 || weights_kind == q4_k;
const bits = select(0x00ff00ffu, 0x000f000fu, are_nibbles);

fn copy_run(w: weights<f32>, row: u32, unit: u32, run: u32, raw: ptr<function, Raw>, first: u32) {
  let four = weightsWords(w, row, unit, run);
  @unroll for (var j = 0u; j < 4u; j++) {
    (*raw)[first + j] = four[j];
  }
}

// The words of a piece as they lie in memory.
fn load_raw(w: weights<f32>, row: u32, piece: u32) -> Raw {
  var raw: Raw;
  if (is_super) {
    if (weights_kind == q6_k) {
      // The word of both superblocks' d, then 13 runs a superblock: nibbles 8, upper bits 4, scales 1.
      let unit = piece / 4u;
      let run = piece / 2u % 2u * 13u;
      let part = piece % 2u;
      raw[0] = weightsWord(w, row, unit, 0u);
      copy_run(w, row, unit, run + 12u, &raw, 1u);
      @unroll for (var i = 0u; i < 2u; i++) {
        copy_run(w, row, unit, run + 8u + 2u * part + i, &raw, scale_words + 4u * i);
      }
      @unroll for (var i = 0u; i < 4u; i++) {
        copy_run(w, row, unit, run + 4u * part + i, &raw, scale_words + upper_words + 4u * i);
      }
    } else {
      // Runs of a superblock: scales 1, fifth bits 2 in q5_k, nibbles 2 a piece.
      let unit = piece / 4u;
      copy_run(w, row, unit, 0u, &raw, 0u);
      @unroll for (var i = 0u; i < upper_words / 4u; i++) {
        copy_run(w, row, unit, 1u + i, &raw, scale_words + 4u * i);
      }
      @unroll for (var i = 0u; i < 2u; i++) {
        copy_run(w, row, unit, 1u + upper_words / 4u + piece % 4u * 2u + i, &raw, scale_words + upper_words + 4u * i);
      }
    }
  } else {
    let loaded = load_bytes(w, row, piece);
    @unroll for (var j = 0u; j < min(raw_words, byte_raw_words); j++) {
      raw[j] = loaded[j];
    }
  }
  return raw;
}

fn as_bytes(raw: Raw) -> array<u32, byte_raw_words> {
  var words: array<u32, byte_raw_words>;
  @unroll for (var j = 0u; j < min(raw_words, byte_raw_words); j++) {
    words[j] = raw[j];
  }
  return words;
}

// The words of chunk `sub` of a piece: of each byte `bits` are a number, and others may be anything.
fn words_of(raw: Raw, piece: u32, sub: u32) -> Words {
  var words: Words;
  if (weights_kind == q6_k) {
    @unroll for (var s = 0u; s < 8u; s++) {
      let low = raw[scale_words + upper_words + sub % 2u * 8u + s] >> (sub / 2u * 4u);
      let high = raw[scale_words + s] >> (2u * sub);
      words[s] = (low & 0x0f0f0f0fu) | ((high & 0x03030303u) << 4u);
    }
  } else if (weights_kind == q5_k) {
    @unroll for (var s = 0u; s < 8u; s++) {
      let low = raw[scale_words + upper_words + s] >> (4u * sub);
      let high = raw[scale_words + s % max(upper_words, 1u)] >> (piece % 4u * 2u + sub);
      words[s] = (low & 0x0f0f0f0fu) | ((high & 0x01010101u) << 4u);
    }
  } else if (weights_kind == q4_k) {
    @unroll for (var s = 0u; s < 8u; s++) {
      words[s] = raw[scale_words + upper_words + s] >> (4u * sub);
    }
  } else if (are_nibbles) {
    @unroll for (var s = 0u; s < 8u; s++) {
      words[s] = raw[first_byte_word + s % 4u] >> (s / 4u * 4u);
    }
  } else {
    words = bytes_of(as_bytes(raw));
  }
  return words;
}

// Of chunk `sub` of a piece: the scale of its first 16 columns, that of the others, and the minimum.
fn scale_of(raw: Raw, piece: u32, sub: u32) -> vec3f {
  if (weights_kind == q6_k) {
    // Chunk 4 part + sub of a superblock has two bytes of the sixteen.
    let first = 1u + sub / 2u;
    let packed = select(raw[first], raw[first + 2u], piece % 2u == 1u) >> (sub % 2u * 16u);
    return vec3f(half_of(raw[0], piece / 2u % 2u) * vec2f(unpack4xI8(packed).xy), 0.0);
  }
  if (is_super) {
    let pair = unpack2x16float(raw[0]) * scale_and_minimum(raw[1], raw[2], raw[3], piece % 4u * 2u + sub);
    return vec3f(pair.x, pair.x, -pair.y);
  }
  let scale = byte_scale(as_bytes(raw), piece);
  return vec3f(scale.x, scale.x, scale.y);
}

// What the pipeline of a workgroup (pipeline_tile) reads of weights: the words of 128 rows and 64 columns, a step, come to
// workgroup memory as they are packed, those of `weight_rows` rows interleaved, and an invocation decodes its part of them
// to registers, as the left factor of a product. Of superblocks a step has a part: scales first, then upper bits, then
// nibbles.
import package::byte_fields::{has_row_scale, i4c, q4_0, q4_1, weights_kind};
import package::half_fields::{q4_k, q5_k, q6_k};
import package::packed_fields::{half_of, scale_and_minimum};

override stages: u32;        // of workgroup memory, at least 2
override weight_rows: u32;   // whose words are interleaved: 32 or 64
override gated: bool;        // half of a tile's rows are of a second matrix

const f16_kind = 11u;  // besides the kinds of byte_fields and half_fields

const is_q6 = weights_kind == q6_k;
const is_q4_1 = weights_kind == q4_1;
// Whether the four invocations that share rows make each a part of their scales.
const shares_scales = weights_kind == q4_k || weights_kind == q5_k || is_q6 || is_q4_1;

const row_words = array<u32, 12>(0u, 17u, 9u, 10u, 0u, 0u, 16u, 8u, 12u, 20u, 29u, 32u)[weights_kind];  // of a step
const row_blocks = select(1u, 2u, weights_kind == f16_kind || is_q4_1 || has_row_scale);
const group_pitch = row_words * weight_rows;
const groups_of_tile = 128u / weight_rows;
const stage_words = groups_of_tile * group_pitch;

// Words of an invocation's two rows in a step, and their scales.
const nibble_pairs = array<u32, 12>(0u, 4u, 2u, 2u, 0u, 0u, 4u, 2u, 2u, 2u, 4u, 8u)[weights_kind];
const upper_pairs = select(0u, 2u, weights_kind == q5_k || is_q6);  // of bits beyond the nibbles
const raw_pairs = nibble_pairs + upper_pairs;

alias Raw = array<u32, 2u * raw_pairs + 2u>;
alias Fragment = array<vec4<u32>, 4>;

var<workgroup> ring: array<vec2<u32>, 2u * stages>;
var<workgroup> words: array<u32, stages * stage_words>;

// Starts the copies of step k of a group of rows to place `to`.
fn fill_rows(stage: u32, k: u32, w: weights<f32>, row: u32, to: u32) {
  if (is_q6) {
    // Of two superblocks: the word of both scales; of this one the sixteen others, then of its half upper bits and nibbles.
    let first = 1u + k / 4u % 2u * 52u;
    let half = k / 2u % 2u;
    weightsStageCopy(&ring, stage, &words, to, w, row, k / 8u, 0u, 1u);
    weightsStageCopy(&ring, stage, &words, to + weight_rows, w, row, k / 8u, first + 48u, 4u);
    weightsStageCopy(&ring, stage, &words, to + 5u * weight_rows, w, row, k / 8u, first + 32u + half * 8u, 8u);
    weightsStageCopy(&ring, stage, &words, to + 13u * weight_rows, w, row, k / 8u, first + half * 16u, 16u);
  } else if (weights_kind == q4_k || weights_kind == q5_k) {
    const shared_words = 4u + 4u * upper_pairs;
    weightsStageCopy(&ring, stage, &words, to, w, row, k / 4u, 0u, shared_words);
    weightsStageCopy(&ring, stage, &words, to + shared_words * weight_rows, w, row, k / 4u, shared_words + k % 4u * 8u, 8u);
  } else {
    weightsStageCopy(&ring, stage, &words, to, w, row, k * row_blocks, row_blocks);
  }
}

// The two rows of an invocation in a tile: neighbours, or a row of each matrix.
fn tile_row(t: u32, second: u32) -> u32 {
  if (gated) {
    return t / 32u * 8u + t % 32u / 4u + second * 64u;
  }
  return t / 32u * 16u + t % 32u / 4u * 2u + second;
}

// Where in a stage a row's numbers begin: behind the scales of all rows of the group, if there are any, and upper bits,
// four words of a row lie side by side, one for each invocation that shares it.
const words_before = array<u32, 12>(0u, 1u, 1u, 1u, 0u, 0u, 0u, 0u, 4u, 12u, 13u, 0u)[weights_kind] * weight_rows;
// From a word to the next that an invocation has of the row: of q4_1 each block has its scale in front.
const pair_pitch = select(4u, 5u, is_q4_1) * weight_rows;
fn row_place(row: u32, column: u32) -> u32 {
  return row / weight_rows * group_pitch + words_before + row % weight_rows * 4u + column;
}

// Where the first word of its scales is.
fn scale_place(row: u32) -> u32 {
  const pitch = select(1u, 4u, weights_kind == q4_k || weights_kind == q5_k);
  return row / weight_rows * group_pitch + row % weight_rows * pitch;
}

struct Rows {
  first: u32,   // place of the row that is read first, and of the other
  second: u32,
  low: u32,     // places of the scales of the rows, in their order
  high: u32,
  swaps: bool,
}

// Four invocations share two rows. Where these are neighbours, half of all read the second row first, so that no two of
// them want the same bank of memory at a time.
fn rows_of(t: u32) -> Rows {
  let low = tile_row(t, 0u);
  let high = tile_row(t, 1u);
  let column = t % 4u;
  let swaps = !gated && t % 32u >= 16u;
  let low_place = row_place(low, column);
  let high_place = row_place(high, column);
  return Rows(select(low_place, high_place, swaps), select(high_place, low_place, swaps), scale_place(low),
              scale_place(high), swaps);
}

// The words of a step that an invocation decodes: first those of the row that is read first, each beside that of the
// other, then both rows' scales, or the part that it makes of them for all that share the rows.
fn load(rows: Rows, stage: u32, k: u32, t: u32, raw: ptr<function, Raw>) {
  let base = stage * stage_words;
  @unroll for (var i = 0u; i < nibble_pairs; i++) {
    let further = i * pair_pitch;
    (*raw)[2u * i] = words[base + rows.first + further];
    (*raw)[2u * i + 1u] = words[base + rows.second + further];
  }
  @unroll for (var i = 0u; i < upper_pairs; i++) {
    let before = (8u - 4u * i) * weight_rows;
    (*raw)[2u * (nibble_pairs + i)] = words[base + rows.first - before];
    (*raw)[2u * (nibble_pairs + i) + 1u] = words[base + rows.second - before];
  }
  if (is_q6) {
    (*raw)[2u * raw_pairs] = part_scales(rows, base, k, t % 4u);
  } else if (is_q4_1) {
    (*raw)[2u * raw_pairs] = words[base + select(rows.low, rows.high, t % 4u >= 2u) + t % 2u * pair_pitch];
  } else if (shares_scales) {
    (*raw)[2u * raw_pairs] = scale_and_minimum_of(select(rows.low, rows.high, t % 4u >= 2u), base, 2u * (k % 4u) + t % 2u);
  } else if (weights_kind != f16_kind && !has_row_scale) {
    (*raw)[2u * raw_pairs] = words[base + rows.low];
    (*raw)[2u * raw_pairs + 1u] = words[base + rows.high];
  }
}

// The scale of a group of 32 columns of a superblock and what is added, the minimum's negative, as halves.
fn scale_and_minimum_of(place: u32, base: u32, group: u32) -> u32 {
  let at = base + place;
  return pack2x16float(unpack2x16float(words[at]) * vec2f(1.0, -1.0) *
                       scale_and_minimum(words[at + 1u], words[at + 2u], words[at + 3u], group));
}

// Of q6_k the scales of 16 columns of both rows, as halves.
fn part_scales(rows: Rows, base: u32, k: u32, part: u32) -> u32 {
  let d = vec2f(half_of(words[base + rows.low], k / 4u % 2u), half_of(words[base + rows.high], k / 4u % 2u));
  let at = base + weight_rows + k % 4u;
  let low = words[at + rows.low / group_pitch * group_pitch + rows.low % group_pitch * 4u];
  let high = words[at + rows.high / group_pitch * group_pitch + rows.high % group_pitch * 4u];
  let shift = 24u - 8u * part;
  return pack2x16float(d * vec2f(vec2<i32>(vec2<u32>(low, high) << vec2<u32>(shift)) >> vec2<u32>(24u)));
}

// Pair `number` of the words, in the order of the rows.
fn ordered(rows: Rows, raw: ptr<function, Raw>, number: u32) -> vec2<u32> {
  let a = (*raw)[2u * number];
  let b = (*raw)[2u * number + 1u];
  return vec2<u32>(select(a, b, rows.swaps), select(b, a, rows.swaps));
}

// A half in both halves of a word.
fn twice(pair: u32, number: u32) -> u32 {
  return ((pair >> (16u * number)) & 0xffffu) * 0x10001u;
}

const one = 0x3c003c00u;  // twice, as a half

// Nibbles in the low four bits of halves' mantissas, or four bits further up: 1024 and n, or 1024 and 16 n.
fn low_nibbles(word: u32, scale: u32) -> u32 {
  return bitcast<u32>((bitcast<vec2<f16>>((word & 0x000f000fu) | 0x64006400u) - vec2<f16>(1032.0h)) *
                      bitcast<vec2<f16>>(scale));
}
fn high_nibbles(word: u32, scale: u32) -> u32 {
  return bitcast<u32>((bitcast<vec2<f16>>((word & 0x00f000f0u) | 0x64006400u) * vec2<f16>(0.0625h) + vec2<f16>(-72.0h)) *
                      bitcast<vec2<f16>>(scale));
}
// Bytes with their sign turned: 1024 and n + 128.
fn signed_bytes(word: u32, scale: u32) -> u32 {
  return bitcast<u32>((bitcast<vec2<f16>>((word & 0x00ff00ffu) | 0x64006400u) - vec2<f16>(1152.0h)) *
                      bitcast<vec2<f16>>(scale));
}

// Two numbers whose low four bits are where those of halves are, scaled, and but for q6_k more by `added`.
fn scaled_numbers(low: u32, upper: u32, scale: u32, added: u32) -> u32 {
  let n = (low & 0x000f000fu) | upper | 0x64006400u;
  if (is_q6) {
    return bitcast<u32>((bitcast<vec2<f16>>(n) - vec2<f16>(1056.0h)) * bitcast<vec2<f16>>(scale));
  }
  return bitcast<u32>((bitcast<vec2<f16>>(n) - vec2<f16>(1024.0h)) * bitcast<vec2<f16>>(scale) +
                      bitcast<vec2<f16>>(added));
}

// What neighbour `number` of the four that share two rows has.
fn of_neighbour(value: u32, number: u32, t: u32) -> u32 {
  return subgroupShuffle(value, t % 32u / 4u * 4u + number);
}

// The same where scales are shared.
fn decode_shared(rows: Rows, raw: ptr<function, Raw>, parts: ptr<function, Fragment>, k: u32, t: u32) {
  const upper_bits = select(0x00100010u, 0x00300030u, is_q6);
  let own = (*raw)[2u * raw_pairs];
  @unroll for (var part = 0u; part < 4u; part++) {
    // Of q6_k all nibbles of a step are the same of their bytes, of others of superblocks those of the second 32 columns
    // are the upper, of q4_1 those of the second 16 of a block.
    let shift = select(select(part / 2u, part % 2u, is_q4_1) * 4u, k % 2u * 4u, is_q6);
    let low = ordered(rows, raw, select(part % nibble_pairs, part / 2u, is_q4_1)) >> vec2<u32>(shift);
    var even = vec2<u32>();
    var odd = vec2<u32>();
    if (upper_pairs > 0u) {
      let bit = select(k % 4u * 2u + part / 2u, k % 2u * 4u + part / 2u * 2u, is_q6);
      let upper = ordered(rows, raw, raw_pairs - 2u + part % 2u) >> vec2<u32>(bit);
      even = (upper << vec2<u32>(4u)) & vec2<u32>(upper_bits);
      odd = (upper >> vec2<u32>(4u)) & vec2<u32>(upper_bits);
    }
    let next = low >> vec2<u32>(8u);
    var scales = vec2<u32>();  // of both rows, and what is added
    var added = vec2<u32>();
    if (is_q6) {
      let both = of_neighbour(own, part, t);
      scales = vec2<u32>(twice(both, 0u), twice(both, 1u));
    } else {
      let first = of_neighbour(own, part / 2u, t);
      let second = of_neighbour(own, 2u + part / 2u, t);
      scales = vec2<u32>(twice(first, 0u), twice(second, 0u));
      added = vec2<u32>(twice(first, 1u), twice(second, 1u));
    }
    (*parts)[part] = vec4<u32>(scaled_numbers(low.x, even.x, scales.x, added.x),
                               scaled_numbers(low.y, even.y, scales.y, added.y),
                               scaled_numbers(next.x, odd.x, scales.x, added.x),
                               scaled_numbers(next.y, odd.y, scales.y, added.y));
  }
}

// The invocation's part of the weights of step k of a row, decoded: 16 columns an element.
fn decode(rows: Rows, raw: ptr<function, Raw>, parts: ptr<function, Fragment>, k: u32, t: u32) {
  if (shares_scales) {
    decode_shared(rows, raw, parts, k, t);
  } else if (weights_kind == f16_kind) {
    @unroll for (var part = 0u; part < 4u; part++) {
      let a = ordered(rows, raw, 2u * part);
      let b = ordered(rows, raw, 2u * part + 1u);
      (*parts)[part] = vec4<u32>(a, b);
    }
  } else {
    @unroll for (var block = 0u; block < 2u; block++) {
      var scale = one;
      var other = one;
      if (!has_row_scale) {
        scale = twice((*raw)[2u * raw_pairs], block);
        other = twice((*raw)[2u * raw_pairs + 1u], block);
      }
      if (weights_kind == q4_0 || weights_kind == i4c) {
        // Nibbles in two's complement are those of q4_0 with their sign turned.
        let w = ordered(rows, raw, block) ^ vec2<u32>(select(0u, 0x88888888u, has_row_scale));
        let v = w >> vec2<u32>(8u);
        (*parts)[2u * block] =
            vec4<u32>(low_nibbles(w.x, scale), low_nibbles(w.y, other), low_nibbles(v.x, scale),
                      low_nibbles(v.y, other));
        (*parts)[2u * block + 1u] =
            vec4<u32>(high_nibbles(w.x, scale), high_nibbles(w.y, other), high_nibbles(v.x, scale),
                      high_nibbles(v.y, other));
      } else {
        @unroll for (var half = 0u; half < 2u; half++) {
          let w = ordered(rows, raw, 2u * block + half) ^ vec2<u32>(0x80808080u);
          let v = w >> vec2<u32>(8u);
          (*parts)[2u * block + half] =
              vec4<u32>(signed_bytes(w.x, scale), signed_bytes(w.y, other), signed_bytes(v.x, scale),
                        signed_bytes(v.y, other));
        }
      }
    }
  }
}

fn decode_stage(rows: Rows, stage: u32, parts: ptr<function, Fragment>, k: u32, t: u32) {
  var raw: Raw;
  load(rows, stage, k, t, &raw);
  decode(rows, &raw, parts, k, t);
}

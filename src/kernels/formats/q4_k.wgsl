// Q4_K: superblocks of 256 values in groups of 32, value = d * scale * q - dmin * minimum.
// A unit is one superblock, 36 words: word 0 d and dmin (halves), words 1..3 the six-bit scales and minima, words 4..35
// the nibbles: of each 64 values eight words whose byte i holds value i in its low nibble and value i + 32 in its high
// one.
import package::packed_fields::{nibbles, scale_and_minimum};

fn group_of(w: weights<f32>, row: u32, unit: u32, group: u32) -> vec2f {
  return unpack2x16float(weightsWord(w, row, unit, 0u)) *
         scale_and_minimum(weightsWord(w, row, unit, 1u), weightsWord(w, row, unit, 2u), weightsWord(w, row, unit, 3u),
                           group);
}

fn load(w: weights<f32>, row: u32, slice: u32) -> vec4f {
  let unit = slice / 64u;
  let group = slice / 8u % 8u;
  let scale = group_of(w, row, unit, group);
  let packed = weightsWord(w, row, unit, 4u + group / 2u * 8u + slice % 8u);
  return nibbles(packed >> (group % 2u * 4u)) * scale.x - scale.y;
}

fn load_chunk(w: weights<f32>, row: u32, chunk: u32) -> array<vec4f, 8> {
  let unit = chunk / 8u;
  let group = chunk % 8u;
  let scale = group_of(w, row, unit, group);
  let first = 4u + group / 2u * 8u;
  let shift = group % 2u * 4u;
  var values: array<vec4f, 8>;
  @unroll for (var j = 0u; j < 8u; j++) {
    values[j] = nibbles(weightsWord(w, row, unit, first + j) >> shift) * scale.x - scale.y;
  }
  return values;
}

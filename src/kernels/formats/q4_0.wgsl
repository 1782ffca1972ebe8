// Q4_0: blocks of 32 values, value = scale * (q - 8).
// A unit is two blocks, 9 words: word 0 both scales (halves), words 1..4 and 5..8 the nibbles of each block; byte j of
// the four words holds value j in its low nibble and value j + 16 in its high one.
import package::packed_fields::{half_of, nibbles};

fn load(w: weights<f32>, row: u32, slice: u32) -> vec4f {
  let unit = slice / 16u;
  let block = slice / 8u % 2u;
  let scale = half_of(weightsWord(w, row, unit, 0u), block);
  let packed = weightsWord(w, row, unit, 1u + block * 4u + slice % 4u);
  return nibbles(packed >> (slice & 4u)) * scale - 8.0 * scale;
}

fn load_chunk(w: weights<f32>, row: u32, chunk: u32) -> array<vec4f, 8> {
  let unit = chunk / 2u;
  let block = chunk % 2u;
  let scale = half_of(weightsWord(w, row, unit, 0u), block);
  let minimum = -8.0 * scale;
  var values: array<vec4f, 8>;
  @unroll for (var j = 0u; j < 4u; j++) {
    let packed = weightsWord(w, row, unit, block * 4u + 1u + j);
    values[j] = nibbles(packed) * scale + minimum;
    values[j + 4u] = nibbles(packed >> 4u) * scale + minimum;
  }
  return values;
}

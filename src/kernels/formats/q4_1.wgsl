// Q4_1: blocks of 32 values, value = scale * q + minimum.
// A unit is one block, 5 words: word 0 scale and minimum (halves); byte j of words 1..4 holds value j in its low nibble
// and value j + 16 in its high one.
import package::packed_fields::nibbles;

fn load(w: weights<f32>, row: u32, slice: u32) -> vec4f {
  let unit = slice / 8u;
  let scale = unpack2x16float(weightsWord(w, row, unit, 0u));
  let packed = weightsWord(w, row, unit, 1u + slice % 4u);
  return nibbles(packed >> (slice & 4u)) * scale.x + scale.y;
}

fn load_chunk(w: weights<f32>, row: u32, chunk: u32) -> array<vec4f, 8> {
  let scale = unpack2x16float(weightsWord(w, row, chunk, 0u));
  var values: array<vec4f, 8>;
  @unroll for (var j = 0u; j < 4u; j++) {
    let packed = weightsWord(w, row, chunk, 1u + j);
    values[j] = nibbles(packed) * scale.x + scale.y;
    values[j + 4u] = nibbles(packed >> 4u) * scale.x + scale.y;
  }
  return values;
}

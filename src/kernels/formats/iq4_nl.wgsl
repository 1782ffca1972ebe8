// IQ4_NL: blocks of 32 values, value = scale * table[q].
// A unit is two blocks, 9 words, as in Q4_0: word 0 both scales (halves), words 1..4 and 5..8 the nibbles of each
// block; byte j of the four words holds value j in its low nibble and value j + 16 in its high one.
import package::packed_fields::{half_of, iq4_nl_table, looked_up};

fn load(w: weights<f32>, row: u32, slice: u32) -> vec4f {
  let unit = slice / 16u;
  let block = slice / 8u % 2u;
  let scale = half_of(weightsWord(w, row, unit, 0u), block);
  let packed = weightsWord(w, row, unit, 1u + block * 4u + slice % 4u);
  return looked_up(packed >> (slice & 4u), iq4_nl_table) * scale;
}

fn load_chunk(w: weights<f32>, row: u32, chunk: u32) -> array<vec4f, 8> {
  let unit = chunk / 2u;
  let block = chunk % 2u;
  let scale = half_of(weightsWord(w, row, unit, 0u), block);
  var values: array<vec4f, 8>;
  @unroll for (var j = 0u; j < 4u; j++) {
    let packed = weightsWord(w, row, unit, block * 4u + 1u + j);
    values[j] = looked_up(packed, iq4_nl_table) * scale;
    values[j + 4u] = looked_up(packed >> 4u, iq4_nl_table) * scale;
  }
  return values;
}

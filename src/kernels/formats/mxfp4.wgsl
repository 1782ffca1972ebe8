// MXFP4: blocks of 32 values, value = 2^(e - 127) * E2M1, computed as 2^(e - 128) times twice the E2M1 value.
// A unit is four blocks, 17 words: word 0 the exponents e of the blocks, a byte each, then for each block four words of
// nibbles; byte j of the four words holds value j in its low nibble and value j + 16 in its high one.
import package::packed_fields::{doubled_e2m1_table, half_power, looked_up};

fn load(w: weights<f32>, row: u32, slice: u32) -> vec4f {
  let unit = slice / 32u;
  let block = slice / 8u % 4u;
  let scale = half_power(weightsWord(w, row, unit, 0u) >> (8u * block));
  let packed = weightsWord(w, row, unit, 1u + block * 4u + slice % 4u);
  return looked_up(packed >> (slice & 4u), doubled_e2m1_table) * scale;
}

fn load_chunk(w: weights<f32>, row: u32, chunk: u32) -> array<vec4f, 8> {
  let unit = chunk / 4u;
  let block = chunk % 4u;
  let scale = half_power(weightsWord(w, row, unit, 0u) >> (8u * block));
  var values: array<vec4f, 8>;
  @unroll for (var j = 0u; j < 4u; j++) {
    let packed = weightsWord(w, row, unit, block * 4u + 1u + j);
    values[j] = looked_up(packed, doubled_e2m1_table) * scale;
    values[j + 4u] = looked_up(packed >> 4u, doubled_e2m1_table) * scale;
  }
  return values;
}

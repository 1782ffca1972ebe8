// Q5_0: blocks of 32 values, value = scale * (q - 16).
// A unit is two blocks, 11 words: word 0 both scales (halves), words 1 and 2 the fifth bits of each block (bit i of
// value i), words 3..6 and 7..10 the nibbles; byte j of the four words holds value j in its low nibble and value j + 16
// in its high one.
import package::packed_fields::{fifth_bits, half_of};

fn load(w: weights<f32>, row: u32, slice: u32) -> vec4f {
  let unit = slice / 16u;
  let block = slice / 8u % 2u;
  let scale = half_of(weightsWord(w, row, unit, 0u), block);
  let high = weightsWord(w, row, unit, 1u + block) >> (slice % 8u * 4u);
  let low = weightsWord(w, row, unit, 3u + block * 4u + slice % 4u) >> (slice & 4u);
  return vec4f(unpack4xU8((low & 0x0f0f0f0fu) | fifth_bits(high))) * scale - 16.0 * scale;
}

fn load_chunk(w: weights<f32>, row: u32, chunk: u32) -> array<vec4f, 8> {
  let unit = chunk / 2u;
  let block = chunk % 2u;
  let scale = half_of(weightsWord(w, row, unit, 0u), block);
  let minimum = -16.0 * scale;
  let high = weightsWord(w, row, unit, 1u + block);
  var values: array<vec4f, 8>;
  @unroll for (var j = 0u; j < 4u; j++) {
    let packed = weightsWord(w, row, unit, block * 4u + 3u + j);
    let low = (packed & 0x0f0f0f0fu) | fifth_bits(high >> (4u * j));
    let upper = ((packed >> 4u) & 0x0f0f0f0fu) | fifth_bits(high >> (4u * j + 16u));
    values[j] = vec4f(unpack4xU8(low)) * scale + minimum;
    values[j + 4u] = vec4f(unpack4xU8(upper)) * scale + minimum;
  }
  return values;
}

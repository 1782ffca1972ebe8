// Q5_1: blocks of 32 values, value = scale * q + minimum.
// A unit is one block, 6 words: word 0 scale and minimum (halves), word 1 the fifth bits (bit i of value i), words 2..5
// the nibbles; byte j of the four words holds value j in its low nibble and value j + 16 in its high one.
import package::packed_fields::fifth_bits;

fn load(w: weights<f32>, row: u32, slice: u32) -> vec4f {
  let unit = slice / 8u;
  let scale = unpack2x16float(weightsWord(w, row, unit, 0u));
  let high = weightsWord(w, row, unit, 1u) >> (slice % 8u * 4u);
  let low = weightsWord(w, row, unit, 2u + slice % 4u) >> (slice & 4u);
  return vec4f(unpack4xU8((low & 0x0f0f0f0fu) | fifth_bits(high))) * scale.x + scale.y;
}

fn load_chunk(w: weights<f32>, row: u32, chunk: u32) -> array<vec4f, 8> {
  let scale = unpack2x16float(weightsWord(w, row, chunk, 0u));
  let high = weightsWord(w, row, chunk, 1u);
  var values: array<vec4f, 8>;
  @unroll for (var j = 0u; j < 4u; j++) {
    let packed = weightsWord(w, row, chunk, 2u + j);
    let low = (packed & 0x0f0f0f0fu) | fifth_bits(high >> (4u * j));
    let upper = ((packed >> 4u) & 0x0f0f0f0fu) | fifth_bits(high >> (4u * j + 16u));
    values[j] = vec4f(unpack4xU8(low)) * scale.x + scale.y;
    values[j + 4u] = vec4f(unpack4xU8(upper)) * scale.x + scale.y;
  }
  return values;
}

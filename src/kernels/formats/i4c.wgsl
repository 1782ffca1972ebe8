// I4C: value = scale * q with one scale a row, q from -8 to 7.
// A unit is 32 values, 4 words of nibbles in two's complement: byte i of word k holds value 4 k + i in its low nibble
// and value 4 k + i + 16 in its high one. A nibble in the upper half of a byte is 16 q as a signed byte.

fn load(w: weights<f32>, row: u32, slice: u32) -> vec4f {
  let packed = weightsWord(w, row, slice / 8u, slice % 4u) << (4u - (slice & 4u));
  return vec4f(unpack4xI8(packed & 0xf0f0f0f0u)) * (weightsRowScale(w, row) * 0.0625);
}

fn load_chunk(w: weights<f32>, row: u32, chunk: u32) -> array<vec4f, 8> {
  let scale = weightsRowScale(w, row) * 0.0625;
  var values: array<vec4f, 8>;
  @unroll for (var j = 0u; j < 4u; j++) {
    let packed = weightsWord(w, row, chunk, j);
    values[j] = vec4f(unpack4xI8((packed << 4u) & 0xf0f0f0f0u)) * scale;
    values[j + 4u] = vec4f(unpack4xI8(packed & 0xf0f0f0f0u)) * scale;
  }
  return values;
}

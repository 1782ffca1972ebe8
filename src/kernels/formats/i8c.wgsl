// I8C: value = scale * q with one scale a row.
// A unit is 32 values, 8 words of signed bytes: byte i of word k is value 4 k + i.

fn load(w: weights<f32>, row: u32, slice: u32) -> vec4f {
  return vec4f(unpack4xI8(weightsWord(w, row, slice / 8u, slice % 8u))) * weightsRowScale(w, row);
}

fn load_chunk(w: weights<f32>, row: u32, chunk: u32) -> array<vec4f, 8> {
  let scale = weightsRowScale(w, row);
  var values: array<vec4f, 8>;
  @unroll for (var j = 0u; j < 8u; j++) {
    values[j] = vec4f(unpack4xI8(weightsWord(w, row, chunk, j))) * scale;
  }
  return values;
}

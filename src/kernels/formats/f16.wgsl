// F16: a unit is 32 values, two to a word.

fn four(w: weights<f32>, row: u32, unit: u32, first: u32) -> vec4f {
  return vec4f(unpack2x16float(weightsWord(w, row, unit, first)),
               unpack2x16float(weightsWord(w, row, unit, first + 1u)));
}

fn load(w: weights<f32>, row: u32, slice: u32) -> vec4f {
  return four(w, row, slice / 8u, slice % 8u * 2u);
}

fn load_chunk(w: weights<f32>, row: u32, chunk: u32) -> array<vec4f, 8> {
  var values: array<vec4f, 8>;
  @unroll for (var j = 0u; j < 4u; j++) {
    let words = weightsWords(w, row, chunk, j);
    values[2u * j] = vec4f(unpack2x16float(words.x), unpack2x16float(words.y));
    values[2u * j + 1u] = vec4f(unpack2x16float(words.z), unpack2x16float(words.w));
  }
  return values;
}

// BF16, the upper half of a float: a unit is 32 values, two to a word.

fn pair(packed: u32) -> vec2f {
  return vec2f(bitcast<f32>(packed << 16u), bitcast<f32>(packed & 0xffff0000u));
}

fn four(w: weights<f32>, row: u32, unit: u32, first: u32) -> vec4f {
  return vec4f(pair(weightsWord(w, row, unit, first)), pair(weightsWord(w, row, unit, first + 1u)));
}

fn load(w: weights<f32>, row: u32, slice: u32) -> vec4f {
  return four(w, row, slice / 8u, slice % 8u * 2u);
}

fn load_chunk(w: weights<f32>, row: u32, chunk: u32) -> array<vec4f, 8> {
  var values: array<vec4f, 8>;
  @unroll for (var j = 0u; j < 8u; j++) {
    values[j] = four(w, row, chunk, 2u * j);
  }
  return values;
}

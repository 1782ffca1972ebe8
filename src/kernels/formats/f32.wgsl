// F32: a unit is 32 values, a word each.

fn four(w: weights<f32>, row: u32, unit: u32, first: u32) -> vec4f {
  return bitcast<vec4f>(vec4u(weightsWord(w, row, unit, first), weightsWord(w, row, unit, first + 1u),
                              weightsWord(w, row, unit, first + 2u), weightsWord(w, row, unit, first + 3u)));
}

fn load(w: weights<f32>, row: u32, slice: u32) -> vec4f {
  return four(w, row, slice / 8u, slice % 8u * 4u);
}

fn load_chunk(w: weights<f32>, row: u32, chunk: u32) -> array<vec4f, 8> {
  var values: array<vec4f, 8>;
  @unroll for (var j = 0u; j < 8u; j++) {
    values[j] = four(w, row, chunk, 4u * j);
  }
  return values;
}

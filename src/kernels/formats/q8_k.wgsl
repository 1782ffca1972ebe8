// Q8_K: blocks of 256 values, value = scale * q.
// A unit is one block, 73 words: word 0 the scale (float), words 1..64 the signed bytes, then sums that integer dot
// products use.

fn load(w: weights<f32>, row: u32, slice: u32) -> vec4f {
  let unit = slice / 64u;
  let scale = bitcast<f32>(weightsWord(w, row, unit, 0u));
  return vec4f(unpack4xI8(weightsWord(w, row, unit, 1u + slice % 64u))) * scale;
}

fn load_chunk(w: weights<f32>, row: u32, chunk: u32) -> array<vec4f, 8> {
  let unit = chunk / 8u;
  let first = 1u + chunk % 8u * 8u;
  let scale = bitcast<f32>(weightsWord(w, row, unit, 0u));
  var values: array<vec4f, 8>;
  @unroll for (var j = 0u; j < 8u; j++) {
    values[j] = vec4f(unpack4xI8(weightsWord(w, row, unit, first + j))) * scale;
  }
  return values;
}

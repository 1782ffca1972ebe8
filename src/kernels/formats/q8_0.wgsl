// Q8_0: blocks of 32 values, value = scale * q.
// A unit is two blocks, 17 words: word 0 both scales (halves), words 1..8 and 9..16 the signed bytes of each block.
import package::packed_fields::half_of;

fn load(w: weights<f32>, row: u32, slice: u32) -> vec4f {
  let unit = slice / 16u;
  let scale = half_of(weightsWord(w, row, unit, 0u), slice / 8u % 2u);
  return vec4f(unpack4xI8(weightsWord(w, row, unit, 1u + slice % 16u))) * scale;
}

fn load_chunk(w: weights<f32>, row: u32, chunk: u32) -> array<vec4f, 8> {
  let unit = chunk / 2u;
  let block = chunk % 2u;
  let scale = half_of(weightsWord(w, row, unit, 0u), block);
  var values: array<vec4f, 8>;
  @unroll for (var j = 0u; j < 8u; j++) {
    values[j] = vec4f(unpack4xI8(weightsWord(w, row, unit, block * 8u + 1u + j))) * scale;
  }
  return values;
}

// Q5_K: superblocks of 256 values in groups of 32, value = d * scale * q - dmin * minimum.
// A unit is one superblock, 44 words: word 0 d and dmin (halves), words 1..3 the six-bit scales and minima, words 4..11
// the fifth bits (bit g of byte i belongs to value i of group g), words 12..43 the nibbles: of each 64 values eight
// words whose byte i holds value i in its low nibble and value i + 32 in its high one.
import package::packed_fields::scale_and_minimum;

fn group_of(w: weights<f32>, row: u32, unit: u32, group: u32) -> vec2f {
  return unpack2x16float(weightsWord(w, row, unit, 0u)) *
         scale_and_minimum(weightsWord(w, row, unit, 1u), weightsWord(w, row, unit, 2u), weightsWord(w, row, unit, 3u),
                           group);
}

// Four values of a group, from the words of nibbles and fifth bits.
fn quants(low: u32, high: u32, group: u32) -> vec4f {
  let q = ((low >> (group % 2u * 4u)) & 0x0f0f0f0fu) | (((high >> group) & 0x01010101u) << 4u);
  return vec4f(unpack4xU8(q));
}

fn load(w: weights<f32>, row: u32, slice: u32) -> vec4f {
  let unit = slice / 64u;
  let group = slice / 8u % 8u;
  let scale = group_of(w, row, unit, group);
  let low = weightsWord(w, row, unit, 12u + group / 2u * 8u + slice % 8u);
  return quants(low, weightsWord(w, row, unit, 4u + slice % 8u), group) * scale.x - scale.y;
}

fn load_chunk(w: weights<f32>, row: u32, chunk: u32) -> array<vec4f, 8> {
  let unit = chunk / 8u;
  let group = chunk % 8u;
  let scale = group_of(w, row, unit, group);
  let first = 12u + group / 2u * 8u;
  var values: array<vec4f, 8>;
  @unroll for (var j = 0u; j < 8u; j++) {
    let low = weightsWord(w, row, unit, first + j);
    values[j] = quants(low, weightsWord(w, row, unit, 4u + j), group) * scale.x - scale.y;
  }
  return values;
}

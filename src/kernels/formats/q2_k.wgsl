// Q2_K: superblocks of 256 values in groups of 16, value = d * scale * q - dmin * minimum.
// A unit is one superblock, 21 words: bytes of words 0..3 scale (low nibble) and minimum (high nibble) of each group;
// words 4..19 the two-bit q, of each half of 128 values eight words whose byte i holds value i of four planes of 32,
// two bits a plane; word 20 d and dmin (halves).

fn load(w: weights<f32>, row: u32, slice: u32) -> vec4f {
  let unit = slice / 64u;
  let chunk = slice / 8u % 8u;
  let d = unpack2x16float(weightsWord(w, row, unit, 20u));
  let group = weightsWord(w, row, unit, slice / 16u % 4u) >> (slice / 4u % 4u * 8u);
  let packed = weightsWord(w, row, unit, 4u + chunk / 4u * 8u + slice % 8u) >> (chunk % 4u * 2u);
  return vec4f(unpack4xU8(packed & 0x03030303u)) * (d.x * f32(group & 15u)) - d.y * f32((group >> 4u) & 15u);
}

fn load_chunk(w: weights<f32>, row: u32, chunk: u32) -> array<vec4f, 8> {
  let unit = chunk / 8u;
  let plane = chunk % 4u * 2u;
  let first = 4u + chunk % 8u / 4u * 8u;
  let d = unpack2x16float(weightsWord(w, row, unit, 20u));
  let groups = unpack4xU8(weightsWord(w, row, unit, chunk % 8u / 2u) >> (chunk % 2u * 16u));
  let scale = d.x * vec2f(groups.xy & vec2u(15u));
  let minimum = d.y * vec2f(groups.xy >> vec2u(4u));
  var values: array<vec4f, 8>;
  @unroll for (var j = 0u; j < 4u; j++) {
    let low = weightsWord(w, row, unit, first + j) >> plane;
    let high = weightsWord(w, row, unit, first + 4u + j) >> plane;
    values[j] = vec4f(unpack4xU8(low & 0x03030303u)) * scale.x - minimum.x;
    values[j + 4u] = vec4f(unpack4xU8(high & 0x03030303u)) * scale.y - minimum.y;
  }
  return values;
}

// Q3_K: superblocks of 256 values in groups of 16, value = d * (scale - 32) * (q - 4).
// A unit is two superblocks, 55 words: word 0 both d (halves), then for each superblock 27 words: 0..7 the third bits
// (bit c of byte i belongs to value i of chunk c), 8..23 the lower two bits (of each half of 128 values eight words
// whose byte i holds value i of four chunks), 24..26 the six-bit scales: low nibbles of groups 0..7 and 8..15 in the
// bytes of words 24 and 25, upper two bits of groups g, g + 4, g + 8, g + 12 in byte g of word 26.
import package::packed_fields::half_of;

// Four values of chunk `chunk` of a superblock, from the words of lower and third bits.
fn quants(low: u32, high: u32, chunk: u32) -> vec4f {
  let q = ((low >> (chunk % 4u * 2u)) & 0x03030303u) | (((high >> chunk) & 0x01010101u) << 2u);
  return vec4f(unpack4xU8(q)) - 4.0;
}

// The scales of the two groups of a chunk. `words` is 24 in the unit.
fn scales(w: weights<f32>, row: u32, unit: u32, words: u32, chunk: u32) -> vec2f {
  let low = weightsWord(w, row, unit, words + chunk / 2u % 2u) >> (chunk % 2u * 16u + chunk / 4u * 4u);
  let high = weightsWord(w, row, unit, words + 2u) >> (chunk % 2u * 16u + chunk / 2u * 2u);
  let packed = (low & 0x0f0fu) | ((high & 0x0303u) << 4u);
  return vec2f(f32(packed & 255u), f32(packed >> 8u)) - 32.0;
}

fn load(w: weights<f32>, row: u32, slice: u32) -> vec4f {
  let unit = slice / 128u;
  let block = slice / 64u % 2u;
  let chunk = slice / 8u % 8u;
  let first = 1u + block * 27u;
  let pair = scales(w, row, unit, first + 24u, chunk);
  let scale = half_of(weightsWord(w, row, unit, 0u), block) * select(pair.x, pair.y, (slice & 4u) != 0u);
  let low = weightsWord(w, row, unit, first + 8u + chunk / 4u * 8u + slice % 8u);
  return quants(low, weightsWord(w, row, unit, first + slice % 8u), chunk) * scale;
}

fn load_chunk(w: weights<f32>, row: u32, chunk: u32) -> array<vec4f, 8> {
  let unit = chunk / 16u;
  let block = chunk / 8u % 2u;
  let inner = chunk % 8u;
  let first = 1u + block * 27u;
  let lower = first + 8u + inner / 4u * 8u;
  let scale = half_of(weightsWord(w, row, unit, 0u), block) * scales(w, row, unit, first + 24u, inner);
  var values: array<vec4f, 8>;
  @unroll for (var j = 0u; j < 4u; j++) {
    values[j] = quants(weightsWord(w, row, unit, lower + j), weightsWord(w, row, unit, first + j), inner) * scale.x;
    values[j + 4u] =
        quants(weightsWord(w, row, unit, lower + 4u + j), weightsWord(w, row, unit, first + 4u + j), inner) * scale.y;
  }
  return values;
}

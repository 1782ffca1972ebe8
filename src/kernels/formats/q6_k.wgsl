// Q6_K: superblocks of 256 values in groups of 16, value = d * scale * (q - 32).
// A unit is two superblocks, 105 words: word 0 both d (halves), then for each superblock 52 words: 0..31 the nibbles
// (of each half of 128 values sixteen words; chunks 0 and 2 of the half share the first eight, 1 and 3 the others, low
// and high nibble), 32..47 the upper two bits (of each half eight words whose byte i holds value i of four chunks),
// 48..51 the signed scales, a byte a group.
import package::packed_fields::half_of;

// Four values of chunk `chunk` of a superblock, from the words of nibbles and upper bits.
fn quants(low: u32, high: u32, chunk: u32) -> vec4f {
  let q = ((low >> ((chunk & 2u) * 2u)) & 0x0f0f0f0fu) | (((high >> (chunk % 4u * 2u)) & 0x03030303u) << 4u);
  return vec4f(unpack4xU8(q)) - 32.0;
}

// d times the scales of the two groups of a chunk. `first` is word 0 of the superblock.
fn scales(w: weights<f32>, row: u32, unit: u32, block: u32, first: u32, chunk: u32) -> vec2f {
  let packed = weightsWord(w, row, unit, first + 48u + chunk / 2u) >> (chunk % 2u * 16u);
  return half_of(weightsWord(w, row, unit, 0u), block) * vec2f(unpack4xI8(packed).xy);
}

fn load(w: weights<f32>, row: u32, slice: u32) -> vec4f {
  let unit = slice / 128u;
  let block = slice / 64u % 2u;
  let chunk = slice / 8u % 8u;
  let first = 1u + block * 52u;
  let pair = scales(w, row, unit, block, first, chunk);
  let low = weightsWord(w, row, unit, first + chunk / 4u * 16u + chunk % 2u * 8u + slice % 8u);
  let high = weightsWord(w, row, unit, first + 32u + chunk / 4u * 8u + slice % 8u);
  return quants(low, high, chunk) * select(pair.x, pair.y, (slice & 4u) != 0u);
}

fn load_chunk(w: weights<f32>, row: u32, chunk: u32) -> array<vec4f, 8> {
  let unit = chunk / 16u;
  let block = chunk / 8u % 2u;
  let inner = chunk % 8u;
  let first = 1u + block * 52u;
  let lower = first + inner / 4u * 16u + inner % 2u * 8u;
  let upper = first + 32u + inner / 4u * 8u;
  let scale = scales(w, row, unit, block, first, inner);
  var values: array<vec4f, 8>;
  @unroll for (var j = 0u; j < 4u; j++) {
    values[j] = quants(weightsWord(w, row, unit, lower + j), weightsWord(w, row, unit, upper + j), inner) * scale.x;
    values[j + 4u] =
        quants(weightsWord(w, row, unit, lower + 4u + j), weightsWord(w, row, unit, upper + 4u + j), inner) * scale.y;
  }
  return values;
}

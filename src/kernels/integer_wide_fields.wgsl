// Packed weights of sixteen rows as integers: words of four unsigned bytes, and what they are multiplied with. value =
// scale * integer + minimum. The units are described in formats/.
import package::byte_fields::{weights_kind, has_minimum, has_row_scale, i4c, i8c, q4_0, q4_1, q5_0, q5_1};
import package::wide_fields::{Values, Words, fifth_bits, half_of, high_half, low_half};

// Columns 32 chunk + 4 part to the next three.
fn load_word(w: weights<vec16<f32>>, rows: u32, chunk: u32, part: u32) -> Words {
  let unit = chunk / 2u;
  let block = chunk % 2u;
  let shift = Words(part & 4u);
  let mask = Words(0x0f0f0f0fu);
  if (weights_kind == q4_0) {
    return (weightsWord(w, rows, unit, 1u + 4u * block + part % 4u) >> shift) & mask;
  }
  if (weights_kind == q4_1) {
    return (weightsWord(w, rows, chunk, 1u + part % 4u) >> shift) & mask;
  }
  if (weights_kind == q5_0) {
    let high = weightsWord(w, rows, unit, 1u + block) >> Words(4u * part);
    return ((weightsWord(w, rows, unit, 3u + 4u * block + part % 4u) >> shift) & mask) | fifth_bits(high);
  }
  if (weights_kind == q5_1) {
    let high = weightsWord(w, rows, chunk, 1u) >> Words(4u * part);
    return ((weightsWord(w, rows, chunk, 2u + part % 4u) >> shift) & mask) | fifth_bits(high);
  }
  if (weights_kind == i4c) {
    return ((weightsWord(w, rows, chunk, part % 4u) >> shift) & mask) ^ Words(0x08080808u);  // in two's complement, and 8
  }
  if (weights_kind == i8c) {
    return weightsWord(w, rows, chunk, part) ^ Words(0x80808080u);  // a signed byte and 128
  }
  return weightsWord(w, rows, unit, 1u + 8u * block + part) ^ Words(0x80808080u);
}

const offset = select(select(select(128.0, 16.0, weights_kind == q5_0), 8.0, weights_kind == q4_0 || weights_kind == i4c), 0.0, has_minimum);

struct Scales {
  scale: Values,
  minimum: Values,
}

fn load_scales(w: weights<vec16<f32>>, rows: u32, chunk: u32) -> Scales {
  if (has_minimum) {
    let pair = weightsWord(w, rows, chunk, 0u);
    return Scales(low_half(pair), high_half(pair));
  }
  if (has_row_scale) {
    return Scales(Values(1.0), Values(-offset));
  }
  let scale = half_of(weightsWord(w, rows, chunk / 2u, 0u), chunk % 2u);
  return Scales(scale, scale * Values(-offset));
}

// Q5_1 for sixteen rows at once; the unit is described in formats/q5_1.wgsl.
import package::wide_fields::{Four, Words, low_half, high_half, fields, fifth_bits, scaled_and_moved};

fn load_part(w: weights<vec16<f32>>, rows: u32, chunk: u32, part: u32) -> Four {
  let pair = weightsWord(w, rows, chunk, 0u);
  let high = weightsWord(w, rows, chunk, 1u) >> Words(4u * part);
  let low = weightsWord(w, rows, chunk, 2u + part % 4u) >> Words(part & 4u);
  return scaled_and_moved(fields((low & Words(0x0f0f0f0fu)) | fifth_bits(high), 0u, 31u), low_half(pair), high_half(pair));
}

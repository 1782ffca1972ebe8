// Q5_0 for sixteen rows at once; the unit is described in formats/q5_0.wgsl.
import package::wide_fields::{Four, Values, Words, half_of, fields, fifth_bits, scaled_and_moved};

fn load_part(w: weights<vec16<f32>>, rows: u32, chunk: u32, part: u32) -> Four {
  let unit = chunk / 2u;
  let block = chunk % 2u;
  let scale = half_of(weightsWord(w, rows, unit, 0u), block);
  let high = weightsWord(w, rows, unit, 1u + block) >> Words(4u * part);
  let low = weightsWord(w, rows, unit, 3u + block * 4u + part % 4u) >> Words(part & 4u);
  return scaled_and_moved(fields((low & Words(0x0f0f0f0fu)) | fifth_bits(high), 0u, 31u), scale, scale * Values(-16.0));
}

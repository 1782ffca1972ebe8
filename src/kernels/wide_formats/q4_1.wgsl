// Q4_1 for sixteen rows at once; the unit is described in formats/q4_1.wgsl.
import package::wide_fields::{Four, low_half, high_half, fields, scaled_and_moved};

fn load_part(w: weights<vec16<f32>>, rows: u32, chunk: u32, part: u32) -> Four {
  let pair = weightsWord(w, rows, chunk, 0u);
  let packed = weightsWord(w, rows, chunk, 1u + part % 4u);
  return scaled_and_moved(fields(packed, (part & 4u), 15u), low_half(pair), high_half(pair));
}

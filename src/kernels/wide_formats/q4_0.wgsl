// Q4_0 for sixteen rows at once; the unit is described in formats/q4_0.wgsl.
import package::wide_fields::{Four, Values, half_of, fields, scaled_and_moved};

fn load_part(w: weights<vec16<f32>>, rows: u32, chunk: u32, part: u32) -> Four {
  let unit = chunk / 2u;
  let block = chunk % 2u;
  let scale = half_of(weightsWord(w, rows, unit, 0u), block);
  let packed = weightsWord(w, rows, unit, 1u + block * 4u + part % 4u);
  return scaled_and_moved(fields(packed, (part & 4u), 15u), scale, scale * Values(-8.0));
}

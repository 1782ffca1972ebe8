// I4C for sixteen rows at once; the unit is described in formats/i4c.wgsl.
import package::wide_fields::{Four, scaled, signed_nibbles};

fn load_part(w: weights<vec16<f32>>, rows: u32, chunk: u32, part: u32) -> Four {
  return scaled(signed_nibbles(weightsWord(w, rows, chunk, part % 4u), part & 4u), weightsRowScale(w, rows));
}

// I8C for sixteen rows at once; the unit is described in formats/i8c.wgsl.
import package::wide_fields::{Four, scaled, signed_bytes};

fn load_part(w: weights<vec16<f32>>, rows: u32, chunk: u32, part: u32) -> Four {
  return scaled(signed_bytes(weightsWord(w, rows, chunk, part)), weightsRowScale(w, rows));
}

// Q8_0 for sixteen rows at once; the unit is described in formats/q8_0.wgsl.
import package::wide_fields::{Four, half_of, signed_bytes, scaled};

fn load_part(w: weights<vec16<f32>>, rows: u32, chunk: u32, part: u32) -> Four {
  let unit = chunk / 2u;
  let block = chunk % 2u;
  return scaled(signed_bytes(weightsWord(w, rows, unit, 1u + block * 8u + part)), half_of(weightsWord(w, rows, unit, 0u), block));
}

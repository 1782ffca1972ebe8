// Q8_K for sixteen rows at once; the unit is described in formats/q8_k.wgsl.
import package::wide_fields::{Four, Values, signed_bytes, scaled};

fn load_part(w: weights<vec16<f32>>, rows: u32, chunk: u32, part: u32) -> Four {
  let unit = chunk / 8u;
  return scaled(signed_bytes(weightsWord(w, rows, unit, 1u + chunk % 8u * 8u + part)), bitcast<Values>(weightsWord(w, rows, unit, 0u)));
}

// IQ4_NL for sixteen rows at once; the unit is described in formats/iq4_nl.wgsl.
import package::wide_fields::{Four, half_of, iq4_nl_table, looked_up, scaled};

fn load_part(w: weights<vec16<f32>>, rows: u32, chunk: u32, part: u32) -> Four {
  let unit = chunk / 2u;
  let block = chunk % 2u;
  let packed = weightsWord(w, rows, unit, 1u + block * 4u + part % 4u);
  return scaled(looked_up(packed, part & 4u, iq4_nl_table), half_of(weightsWord(w, rows, unit, 0u), block));
}

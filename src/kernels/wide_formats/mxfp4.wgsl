// MXFP4 for sixteen rows at once; the unit is described in formats/mxfp4.wgsl.
import package::wide_fields::{Four, Words, doubled_e2m1_table, half_power, looked_up, scaled};

fn load_part(w: weights<vec16<f32>>, rows: u32, chunk: u32, part: u32) -> Four {
  let unit = chunk / 4u;
  let block = chunk % 4u;
  let scale = half_power(weightsWord(w, rows, unit, 0u) >> Words(8u * block));
  let packed = weightsWord(w, rows, unit, 1u + block * 4u + part % 4u);
  return scaled(looked_up(packed, part & 4u, doubled_e2m1_table), scale);
}

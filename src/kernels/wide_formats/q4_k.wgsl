// Q4_K for sixteen rows at once; the unit is described in formats/q4_k.wgsl.
import package::wide_fields::{Four, Words, fields, group_scale, scaled_and_moved};

fn load_part(w: weights<vec16<f32>>, rows: u32, chunk: u32, part: u32) -> Four {
  let unit = chunk / 8u;
  let group = chunk % 8u;
  let scale = group_scale(weightsWord(w, rows, unit, 0u), weightsWord(w, rows, unit, 1u), weightsWord(w, rows, unit, 2u),
                          weightsWord(w, rows, unit, 3u), group);
  let packed = weightsWord(w, rows, unit, 4u + group / 2u * 8u + part) >> Words(group % 2u * 4u);
  return scaled_and_moved(fields(packed, 0u, 15u), scale.scale, scale.minimum);
}

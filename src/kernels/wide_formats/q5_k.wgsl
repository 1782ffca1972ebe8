// Q5_K for sixteen rows at once; the unit is described in formats/q5_k.wgsl.
import package::wide_fields::{Four, Words, fields, group_scale, scaled_and_moved};

fn load_part(w: weights<vec16<f32>>, rows: u32, chunk: u32, part: u32) -> Four {
  let unit = chunk / 8u;
  let group = chunk % 8u;
  let scale = group_scale(weightsWord(w, rows, unit, 0u), weightsWord(w, rows, unit, 1u), weightsWord(w, rows, unit, 2u),
                          weightsWord(w, rows, unit, 3u), group);
  let low = weightsWord(w, rows, unit, 12u + group / 2u * 8u + part) >> Words(group % 2u * 4u);
  let high = weightsWord(w, rows, unit, 4u + part) >> Words(group);
  let q = (low & Words(0x0f0f0f0fu)) | ((high & Words(0x01010101u)) << Words(4u));
  return scaled_and_moved(fields(q, 0u, 31u), scale.scale, scale.minimum);
}

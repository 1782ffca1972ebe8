// Q2_K for sixteen rows at once; the unit is described in formats/q2_k.wgsl.
import package::wide_fields::{Four, Values, Words, low_half, high_half, fields, scaled_and_moved};

fn load_part(w: weights<vec16<f32>>, rows: u32, chunk: u32, part: u32) -> Four {
  let unit = chunk / 8u;
  let d = weightsWord(w, rows, unit, 20u);
  let group = weightsWord(w, rows, unit, chunk % 8u / 2u) >> Words(chunk % 2u * 16u + part / 4u * 8u);
  let packed = weightsWord(w, rows, unit, 4u + chunk % 8u / 4u * 8u + part) >> Words(chunk % 4u * 2u);
  return scaled_and_moved(fields(packed, 0u, 3u), low_half(d) * Values(group & Words(15u)),
                          -high_half(d) * Values((group >> Words(4u)) & Words(15u)));
}

// Q3_K for sixteen rows at once; the unit is described in formats/q3_k.wgsl.
import package::wide_fields::{Four, Values, Words, half_of, fields, scaled_and_moved};

fn load_part(w: weights<vec16<f32>>, rows: u32, chunk: u32, part: u32) -> Four {
  let unit = chunk / 16u;
  let block = chunk / 8u % 2u;
  let inner = chunk % 8u;
  let first = 1u + block * 27u;
  let group = inner * 2u + part / 4u;
  let low_scale = (weightsWord(w, rows, unit, first + 24u + group / 4u % 2u) >> Words(group % 4u * 8u + group / 8u * 4u)) & Words(15u);
  let high_scale = (weightsWord(w, rows, unit, first + 26u) >> Words(group % 4u * 8u + group / 4u * 2u)) & Words(3u);
  let scale = half_of(weightsWord(w, rows, unit, 0u), block) * (Values(low_scale | (high_scale << Words(4u))) - Values(32.0));
  let low = weightsWord(w, rows, unit, first + 8u + inner / 4u * 8u + part) >> Words(inner % 4u * 2u);
  let high = weightsWord(w, rows, unit, first + part) >> Words(inner);
  let q = (low & Words(0x03030303u)) | ((high & Words(0x01010101u)) << Words(2u));
  return scaled_and_moved(fields(q, 0u, 7u), scale, scale * Values(-4.0));
}

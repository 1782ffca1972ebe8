// Q6_K for sixteen rows at once; the unit is described in formats/q6_k.wgsl.
import package::wide_fields::{Four, Values, Words, half_of, fields, scaled_and_moved};

fn load_part(w: weights<vec16<f32>>, rows: u32, chunk: u32, part: u32) -> Four {
  let unit = chunk / 16u;
  let block = chunk / 8u % 2u;
  let inner = chunk % 8u;
  let first = 1u + block * 52u;
  let group = inner * 2u + part / 4u;
  let packed_scale = weightsWord(w, rows, unit, first + 48u + group / 4u) << Words(24u - group % 4u * 8u);
  let scale = half_of(weightsWord(w, rows, unit, 0u), block) * Values(bitcast<vec16<i32>>(packed_scale) >> Words(24u));
  let low = weightsWord(w, rows, unit, first + inner / 4u * 16u + inner % 2u * 8u + part) >> Words((inner & 2u) * 2u);
  let high = weightsWord(w, rows, unit, first + 32u + inner / 4u * 8u + part) >> Words(inner % 4u * 2u);
  let q = (low & Words(0x0f0f0f0fu)) | ((high & Words(0x03030303u)) << Words(4u));
  return scaled_and_moved(fields(q, 0u, 63u), scale, scale * Values(-32.0));
}

// F32 for sixteen rows at once.
import package::wide_fields::{Four, Values};

fn load_part(w: weights<vec16<f32>>, rows: u32, chunk: u32, part: u32) -> Four {
  var values: Four;
  @unroll for (var k = 0u; k < 4u; k++) {
    values[k] = bitcast<Values>(weightsWord(w, rows, chunk, 4u * part + k));
  }
  return values;
}

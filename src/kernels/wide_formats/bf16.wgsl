// BF16, the upper half of a float, for sixteen rows at once: two values a word.
import package::wide_fields::{Four, Values, Words};

fn load_part(w: weights<vec16<f32>>, rows: u32, chunk: u32, part: u32) -> Four {
  let first = weightsWord(w, rows, chunk, 2u * part);
  let second = weightsWord(w, rows, chunk, 2u * part + 1u);
  return Four(bitcast<Values>(first << Words(16u)), bitcast<Values>(first & Words(0xffff0000u)),
              bitcast<Values>(second << Words(16u)), bitcast<Values>(second & Words(0xffff0000u)));
}

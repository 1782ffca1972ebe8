// F16 for sixteen rows at once: two values a word.
import package::wide_fields::{Four, low_half, high_half};

fn load_part(w: weights<vec16<f32>>, rows: u32, chunk: u32, part: u32) -> Four {
  let first = weightsWord(w, rows, chunk, 2u * part);
  let second = weightsWord(w, rows, chunk, 2u * part + 1u);
  return Four(low_half(first), high_half(first), low_half(second), high_half(second));
}

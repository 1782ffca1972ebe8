// Packed weights as integers: 32 columns of a row as eight words of four signed bytes, in the order of the columns, and
// what they are multiplied with. value = scale * integer + minimum, times the scale of the row in formats that have one.
import package::byte_fields::{Words, bias, bytes_of, has_bytes, has_minimum, load_raw, scale_of};

// Each byte, at most 127, less that of `term`, at most 128: no byte borrows from the next.
fn less(bytes: u32, term: u32) -> u32 {
  return ((bytes | 0x80808080u) - term) ^ 0x80808080u;
}

// Columns 32 chunk to 32 chunk + 31.
fn load_integers(w: weights<f32>, row: u32, chunk: u32) -> Words {
  var words = bytes_of(load_raw(w, row, chunk));
  @unroll for (var j = 0u; j < 8u; j++) {
    if (has_bytes) {
      words[j] = words[j] ^ 0x80808080u;
    } else if (bias != 0u) {
      words[j] = less(words[j], bias * 0x01010101u);
    }
  }
  return words;
}

// (scale, minimum) of these columns.
fn load_scale(w: weights<f32>, row: u32, chunk: u32) -> vec2f {
  return scale_of(load_raw(w, row, chunk), chunk);
}

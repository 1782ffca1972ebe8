// Channels as integers of -127 to 127, by the largest magnitude of 32 of them.

alias Chunk = array<vec4f, 8>;

// Channels 32 chunk to 32 chunk + 31 of a token, zeroes past the last.
fn load_chunk(x: tensor<f32>, token: u32, chunk: u32) -> Chunk {
  var values: Chunk;
  @unroll for (var i = 0u; i < 8u; i++) {
    if (8u * chunk + i < tensorSlices(x)) {
      values[i] = tensorLoad(x, token, 8u * chunk + i);
    }
  }
  return values;
}

// A magnitude below this is none: its inverse may be infinite.
const least = 1e-30f;

fn inverse_of(largest: f32) -> f32 {
  return select(0.0, 127.0 / largest, largest >= least);
}

fn scale_of(largest: f32) -> f32 {
  return select(0.0, largest / 127.0, largest >= least);
}

fn whole(value: vec4f, inverse: f32) -> vec4f {
  return round(value * inverse);
}

fn packed(value: vec4f, inverse: f32) -> u32 {
  return pack4xI8Clamp(vec4<i32>(whole(value, inverse)));
}

fn largest_of(values: Chunk) -> f32 {
  var largest = abs(values[0]);
  @unroll for (var i = 1u; i < 8u; i++) {
    largest = max(largest, abs(values[i]));
  }
  return max(max(largest.x, largest.y), max(largest.z, largest.w));
}

// Four channels as integers of -127 to 127, by the largest magnitude of their token.

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

fn largest_of(value: vec4f) -> f32 {
  let magnitude = abs(value);
  return max(max(magnitude.x, magnitude.y), max(magnitude.z, magnitude.w));
}

// Rotary position embedding of four neighbouring channels of a head.
override head_size: u32;
override rotary: u32;     // channels of a head that turn; the rest pass through
override adjacent: bool;  // pairs are channels (2i, 2i + 1), else (i, i + rotary / 2)
override magnitude: f32;

// Cosine and sine of pair `i` at a position.
fn turn(frequencies: tensor<f32>, position: f32, i: u32) -> vec2f {
  let angle = position * tensorLoad(frequencies, i / 4u)[i % 4u];
  return vec2f(cos(angle), sin(angle)) * magnitude;
}

fn channel(x: tensor<f32>, token: u32, c: u32) -> f32 {
  return tensorLoad(x, token, c / 4u)[c % 4u];
}

// Channel c of the head that begins at channel `base` of x, turned.
fn turned_channel(x: tensor<f32>, frequencies: tensor<f32>, token: u32, position: f32, base: u32, c: u32) -> f32 {
  if (c >= head_size) {
    return 0.0;  // padding of the last slice
  }
  let value = channel(x, token, base + c);
  if (c >= rotary) {
    return value;
  }
  if (adjacent) {
    let t = turn(frequencies, position, c / 2u);
    if (c % 2u == 0u) {
      return value * t.x - channel(x, token, base + c + 1u) * t.y;
    }
    return value * t.x + channel(x, token, base + c - 1u) * t.y;
  }
  let half = rotary / 2u;
  if (c < half) {
    let t = turn(frequencies, position, c);
    return value * t.x - channel(x, token, base + c + half) * t.y;
  }
  let t = turn(frequencies, position, c - half);
  return value * t.x + channel(x, token, base + c - half) * t.y;
}

// Slice s (channels 4s to 4s + 3) of a head, turned; any head size.
fn turned_slice(x: tensor<f32>, frequencies: tensor<f32>, token: u32, position: f32, base: u32, s: u32) -> vec4f {
  return vec4f(turned_channel(x, frequencies, token, position, base, 4u * s),
               turned_channel(x, frequencies, token, position, base, 4u * s + 1u),
               turned_channel(x, frequencies, token, position, base, 4u * s + 2u),
               turned_channel(x, frequencies, token, position, base, 4u * s + 3u));
}

// Slice s of a head as it is; any head size.
fn plain_slice(x: tensor<f32>, token: u32, base: u32, s: u32) -> vec4f {
  if (head_size % 4u == 0u && base % 4u == 0u) {
    return tensorLoad(x, token, base / 4u + s);
  }
  var v = vec4f();
  for (var i = 0u; i < 4u; i++) {
    if (4u * s + i < head_size) {
      v[i] = channel(x, token, base + 4u * s + i);
    }
  }
  return v;
}

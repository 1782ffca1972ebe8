// Rotary position embedding of the channels of a head.
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

// The channel of a head that turns with channel c.
fn partner(c: u32) -> u32 {
  if (adjacent) {
    return c ^ 1u;
  }
  if (c < rotary / 2u) {
    return c + rotary / 2u;
  }
  return c - rotary / 2u;
}

// Channel c < rotary turned, from its value and its partner's.
fn turned(frequencies: tensor<f32>, position: f32, c: u32, value: f32, other: f32) -> f32 {
  if (adjacent) {
    let t = turn(frequencies, position, c / 2u);
    return value * t.x + select(other, -other, c % 2u == 0u) * t.y;
  }
  let t = turn(frequencies, position, c % (rotary / 2u));
  return value * t.x + select(other, -other, c < rotary / 2u) * t.y;
}

// Channel c of the head that begins at channel `base` of x, turned.
fn turned_channel(x: tensor<f32>, frequencies: tensor<f32>, token: u32, position: f32, base: u32, c: u32) -> f32 {
  let value = channel(x, token, base + c);
  if (c >= rotary) {
    return value;
  }
  return turned(frequencies, position, c, value, channel(x, token, base + partner(c)));
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

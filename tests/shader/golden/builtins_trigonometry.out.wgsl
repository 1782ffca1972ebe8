@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

fn reduce_angle(x: f32) -> vec2<f32> {
  let bits = bitcast<u32>(x) & 2147483647u;
  if (bits < 1061752795u) {
    return vec2<f32>(x, 0.0f);
  }
  if (bits >= 2139095040u) {
    return vec2<f32>(x - x, 0.0f);
  }
  var table = array<u32, 9>(0u, 2734261102u, 1313084713u, 4230436817u, 4113882560u, 3680671129u, 1011060801u, 4266746795u, 3736847713u);
  let m = (bits & 8388607u) | 8388608u;
  let at = (bits >> 23u) - 120u;
  let word = at >> 5u;
  let shift = at & 31u;
  var high = table[word];
  var low = table[word + 1u];
  if (shift > 0u) {
    high = (high << shift) | (low >> (32u - shift));
    low = (low << shift) | (table[word + 2u] >> (32u - shift));
  }
  let a = m >> 16u;
  let b = m & 65535u;
  let c = low >> 16u;
  let d = low & 65535u;
  let middle = b * c + ((b * d) >> 16u);
  let product = m * high + a * c + (middle >> 16u) + ((a * d + (middle & 65535u)) >> 16u);
  let quarter = (product + 536870912u) >> 30u;
  let rest = f32(bitcast<i32>(product - (quarter << 30u))) * 1.4629180792671596e-9f;
  return select(vec2<f32>(rest, f32(quarter)), vec2<f32>(-rest, f32((4u - quarter) & 3u)), x < 0.0f);
}

fn sine_from(x: f32, quarters: u32) -> f32 {
  let reduced = reduce_angle(x);
  let r = reduced.x;
  let r2 = r * r;
  let sine = r + r * r2 * (-0.16666654611f + r2 * (0.0083321608736f + r2 * -0.00019515295891f));
  let cosine = 1.0f - 0.5f * r2 + r2 * r2 * (0.041666645683f + r2 * (-0.0013887316255f + r2 * 0.000024433157118f));
  let quarter = (u32(reduced.y) + quarters) & 3u;
  let value = select(sine, cosine, (quarter & 1u) == 1u);
  return select(value, -value, quarter > 1u);
}

fn accurate_sin_f1(x: f32) -> f32 {
  return sine_from(x, 0u);
}

fn accurate_cos_f1(x: f32) -> f32 {
  return sine_from(x, 1u);
}

fn accurate_tan_f1(x: f32) -> f32 {
  return sine_from(x, 0u) / sine_from(x, 1u);
}

@compute @workgroup_size(1, 1, 1)
fn trigonometry() {
  let a = x[0];
  y[0] = accurate_sin_f1(a) + accurate_cos_f1(a) + accurate_tan_f1(a);
  y[1] = asin(a) + acos(a) + atan(a) + atan2(a, x[1]);
  y[2] = sinh(a) + cosh(a) + tanh(clamp(a, f32(-10.0f), f32(10.0f)));
  y[3] = asinh(a) + acosh(a) + atanh(a);
}

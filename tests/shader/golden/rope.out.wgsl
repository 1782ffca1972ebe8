struct Parameters {
  start: u32,
}

@group(0) @binding(0) var<storage, read> x: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read_write> y: array<vec2<u32>>;
@group(0) @binding(2) var<uniform> parameters: Parameters;

fn unpack_halves(bits: vec2<u32>) -> vec4<f32> {
  return vec4<f32>(unpack2x16float(bits.x), unpack2x16float(bits.y));
}

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

fn accurate_cos_f4(x: vec4<f32>) -> vec4<f32> {
  return vec4<f32>(sine_from(x.x, 1u), sine_from(x.y, 1u), sine_from(x.z, 1u), sine_from(x.w, 1u));
}

fn accurate_sin_f4(x: vec4<f32>) -> vec4<f32> {
  return vec4<f32>(sine_from(x.x, 0u), sine_from(x.y, 0u), sine_from(x.z, 0u), sine_from(x.w, 0u));
}

fn pack_halves(v: vec4<f32>) -> vec2<u32> {
  return vec2<u32>(pack2x16float(v.xy), pack2x16float(v.zw));
}

@compute @workgroup_size(8, 8, 1)
fn rotate_pairs(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= 8u || id.y >= 8u) {
    return;
  }
  let position = f32(parameters.start + id.y);
  let channel = vec4<f32>(vec4<u32>(id.x * 4u) + vec4<u32>(0u, 1u, 2u, 3u));
  let angle = position * pow(vec4<f32>(10000.0f), -2.0f * channel / 64.0f);
  let low = unpack_halves(x[id.x * 8u + id.y]);
  let high = unpack_halves(x[(id.x + 8u) * 8u + id.y]);
  y[id.x * 8u + id.y] = pack_halves(low * accurate_cos_f4(angle) - high * accurate_sin_f4(angle));
  y[(id.x + 8u) * 8u + id.y] = pack_halves(low * accurate_sin_f4(angle) + high * accurate_cos_f4(angle));
}

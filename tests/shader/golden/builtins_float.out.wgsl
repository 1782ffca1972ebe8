@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>;

fn unknown_vec4_i32(x: vec4<i32>) -> vec4<i32> {
  return x;
}

fn pack_halves(v: vec4<f32>) -> vec2<u32> {
  return vec2<u32>(pack2x16float(v.xy), pack2x16float(v.zw));
}

fn unpack_halves(bits: vec2<u32>) -> vec4<f32> {
  return vec4<f32>(unpack2x16float(bits.x), unpack2x16float(bits.y));
}

fn quantized_4(v: vec4<f32>) -> vec4<f32> {
  return unpack_halves(pack_halves(v));
}

fn quantized_1(v: f32) -> f32 {
  return unpack2x16float(pack2x16float(vec2<f32>(v, 0.0f))).x;
}

@compute @workgroup_size(1, 1, 1)
fn floats() {
  let a = x[0];
  let b = x[1];
  let c = x[2];
  y[0] = abs(a) + ceil(a) + floor(b) + trunc(c) + round(a) + fract(b);
  y[1] = min(a, b) + max(b, c);
  y[2] = clamp(a, vec4<f32>(0.0f), vec4<f32>(6.0f)) + clamp(a, b, c);
  y[3] = saturate(a) + sign(b) + step(a, b) + smoothstep(a, b, c);
  y[4] = fma(a, b, c) + mix(a, b, c) + mix(a, b, 0.5f);
  y[5] = sqrt(a) + inverseSqrt(b) + pow(a, c);
  y[6] = exp(a) + exp2(b) + log(c) + log2(a);
  y[7] = degrees(a) + radians(b);
  y[8] = ldexp(a, unknown_vec4_i32(vec4<i32>(2i)));
  y[9] = quantized_4(a) + vec4<f32>(quantized_1(b.x));
}

struct Parameters {
  start: u32,
}

@group(0) @binding(0) var<storage, read> x: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read_write> y: array<vec2<u32>>;
@group(0) @binding(2) var<uniform> parameters: Parameters;

fn unpack_halves(bits: vec2<u32>) -> vec4<f32> {
  return vec4<f32>(unpack2x16float(bits.x), unpack2x16float(bits.y));
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
  y[id.x * 8u + id.y] = pack_halves(low * cos(angle) - high * sin(angle));
  y[(id.x + 8u) * 8u + id.y] = pack_halves(low * sin(angle) + high * cos(angle));
}

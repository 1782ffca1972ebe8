@group(0) @binding(0) var<storage, read> x: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read_write> y: array<vec2<u32>>;

fn unpack_halves(bits: vec2<u32>) -> vec4<f32> {
  return vec4<f32>(unpack2x16float(bits.x), unpack2x16float(bits.y));
}

fn pack_halves(v: vec4<f32>) -> vec2<u32> {
  return vec2<u32>(pack2x16float(v.xy), pack2x16float(v.zw));
}

@compute @workgroup_size(64, 1, 1)
fn halves_by_ptx(@builtin(global_invocation_id) at: vec3<u32>) {
  y[at.x * 9u + at.y] = pack_halves(unpack_halves(x[at.x * 9u + at.y]) * 2.0f);
}

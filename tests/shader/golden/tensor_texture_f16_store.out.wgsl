@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var y: texture_storage_2d<rgba16float, write>;

fn pack_halves(v: vec4<f32>) -> vec2<u32> {
  return vec2<u32>(pack2x16float(v.xy), pack2x16float(v.zw));
}

fn unpack_halves(bits: vec2<u32>) -> vec4<f32> {
  return vec4<f32>(unpack2x16float(bits.x), unpack2x16float(bits.y));
}

@compute @workgroup_size(8, 4, 1)
fn double(@builtin(global_invocation_id) id: vec3<u32>) {
  textureStore(y, vec2<i32>(i32(id.y), i32(id.z * 3u + id.x)), unpack_halves(pack_halves(x[(id.x * 3u + id.z) * 5u + id.y] * 2.0f)));
}

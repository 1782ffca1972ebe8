@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var y: texture_storage_2d<rgba16float, write>;

fn round_to_halves(v: vec4<f32>) -> vec4<f32> {
  let bits = bitcast<vec4<u32>>(v);
  let odd = (bits >> vec4<u32>(13u)) & vec4<u32>(1u);
  let normal = bitcast<vec4<f32>>((bits + vec4<u32>(4095u) + odd) & vec4<u32>(4294959104u));
  let subnormal = (v + vec4<f32>(0.75f)) - vec4<f32>(0.75f);
  return select(normal, subnormal, abs(v) < vec4<f32>(6.103515625e-5f));
}

@compute @workgroup_size(8, 4, 1)
fn double(@builtin(global_invocation_id) id: vec3<u32>) {
  textureStore(y, vec2<i32>(i32(id.y), i32(id.z * 3u + id.x)), round_to_halves(x[(id.x * 3u + id.z) * 5u + id.y] * 2.0f));
}

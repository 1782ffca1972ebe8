enable f16;

@group(0) @binding(0) var<storage, read> x: array<vec4<f16>>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>;

@compute @workgroup_size(64, 1, 1)
fn tensor_halves(@builtin(global_invocation_id) at: vec3<u32>) {
  let words = bitcast<vec2<u32>>(x[(at.x % 4u * 3u + at.y) * 5u + at.x / 4u]);
  let value = vec4<f32>(unpack2x16float(words.x), unpack2x16float(words.y));
  y[(at.x % 4u * 3u + at.y) * 5u + at.x / 4u] = value + vec4<f32>(x[0]);
}

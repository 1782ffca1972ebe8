enable f16;

@group(0) @binding(0) var<storage, read> x: array<vec4<f16>>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f16>>;
@group(0) @binding(2) var<storage, read_write> z: array<vec4<f32>>;

@compute @workgroup_size(8, 4, 1)
fn double(@builtin(global_invocation_id) id: vec3<u32>) {
  let v = x[(id.x * 3u + id.z) * 5u + id.y] + vec4<f16>(z[(id.x * 3u + id.z) * 5u + id.y]);
  y[(id.x * 3u + id.z) * 5u + id.y] = v * 2.0h;
  z[(id.x * 3u + id.z) * 5u + id.y] = vec4<f32>(v);
}

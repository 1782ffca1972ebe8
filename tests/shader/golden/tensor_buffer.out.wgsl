@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>;

@compute @workgroup_size(8, 4, 1)
fn double(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= 3u || id.y >= 5u || id.z >= 3u) {
    return;
  }
  for (var b = 0u; b < 2u; b++) {
    y[((id.x * 3u + id.z) * 5u + id.y) * 2u + b] = x[((id.x * 3u + id.z) * 5u + id.y) * 2u + b] * 2.0f;
  }
}

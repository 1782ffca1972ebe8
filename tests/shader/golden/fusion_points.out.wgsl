@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>;

@compute @workgroup_size(4, 4, 1)
fn scale(@builtin(global_invocation_id) id: vec3<u32>) {
  let v = x[id.x * 4u + id.y] * 3.0f;
  y[id.x * 4u + id.y] = v;
}

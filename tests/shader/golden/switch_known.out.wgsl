@group(0) @binding(0) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64, 1, 1)
fn modes(@builtin(global_invocation_id) id: vec3<u32>) {
  y[id.x] = 2.0f;
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(8, 1, 1)
fn folding(@builtin(global_invocation_id) id: vec3<u32>) {
  let v = x[id.x];
  y[id.x + 3u] = v;
  y[id.x * 8u] = v;
  y[id.x] = v + 5.0f;
  y[id.x] = 8.5f;
  y[id.x] = v;
}

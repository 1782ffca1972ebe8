@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64, 1, 1)
fn stages(@builtin(global_invocation_id) id: vec3<u32>) {
  var v = x[id.x];
  v *= 2.0f;
  v += 1.0f;
  y[id.x] = v;
}

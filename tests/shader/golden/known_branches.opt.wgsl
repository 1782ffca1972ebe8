@binding(0) var<storage, read> x: array<f32>;
@binding(1) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64, 1, 1)
fn stages(@builtin(global_invocation_id) id: vec3<u32>) {
  var v: f32 = x[id.x];
  v = v * 2f;
  v = v + 1f;
  y[id.x] = v;
}

@binding(0) var<storage, read> x: array<f32>;
@binding(1) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64, 1, 1)
fn unrolled(@builtin(global_invocation_id) id: vec3<u32>) {
  var sum: f32 = 0f;
  sum = sum + x[id.x];
  sum = sum + (x[id.x + 1u] * 2f);
  sum = sum + (x[id.x + 2u] * 3f);
  y[id.x] = sum;
}

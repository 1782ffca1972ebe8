@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64, 1, 1)
fn unrolled(@builtin(global_invocation_id) id: vec3<u32>) {
  var sum = 0.0f;
  sum += x[id.x];
  sum += x[id.x + 1u] * 2.0f;
  sum += x[id.x + 2u] * 3.0f;
  y[id.x] = sum;
}

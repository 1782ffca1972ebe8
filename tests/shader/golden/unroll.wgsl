const kernel_size = 3;
var<storage, read> x: array<f32>;
var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64)
fn unrolled(@builtin(global_invocation_id) id: vec3u) {
  var sum = 0.0;
  @unroll
  for (var i = 0u; i < kernel_size; i++) {
    sum += x[id.x + i] * f32(i + 1u);
  }
  y[id.x] = sum;
}

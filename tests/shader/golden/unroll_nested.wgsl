var<storage, read> x: array<f32>;
var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64)
fn unrolled(@builtin(global_invocation_id) id: vec3u) {
  var acc: array<f32, 4>;
  @unroll
  for (var i = 0u; i < 4u; i++) {
    @unroll
    for (var j = 0u; j < i; j++) {
      acc[i] += x[id.x * 4u + j];
    }
  }
  @unroll
  for (var i = 0u; i < 4u; i++) {
    y[id.x * 4u + i] = acc[i];
  }
}

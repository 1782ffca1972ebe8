// After unrolling, elements of a literal table are literals.
const weights = array(0.25, 0.5, 0.25);
var<storage, read> x: array<vec4f>;
var<storage, read_write> y: array<vec4f>;

@compute @workgroup_size(64)
fn smooth_rows(@builtin(global_invocation_id) id: vec3u) {
  var sum = vec4f();
  @unroll
  for (var i = 0u; i < 3u; i++) {
    sum += x[id.x + i] * weights[i];
  }
  y[id.x] = sum;
}

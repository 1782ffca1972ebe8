// Accumulators become registers; whole-array copies come apart.
var<storage, read> x: array<vec4f>;
var<storage, read_write> y: array<vec4f>;

fn load(at: u32) -> array<vec4f, 4> {
  var chunk: array<vec4f, 4>;
  @unroll
  for (var i = 0u; i < 4u; i++) {
    chunk[i] = x[at + i];
  }
  return chunk;
}

@compute @workgroup_size(64)
fn accumulate(@builtin(global_invocation_id) id: vec3u) {
  var acc = array<vec4f, 4>();
  for (var k = 0u; k < 8u; k++) {
    let chunk = load(k * 4u);
    @unroll
    for (var i = 0u; i < 4u; i++) {
      acc[i] += chunk[i];
    }
  }
  let sum = acc[0] + acc[1] + acc[2] + acc[3];
  y[id.x] = sum;
}

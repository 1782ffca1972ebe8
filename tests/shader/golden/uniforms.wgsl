struct Parameters {
  count: u32,
  start: u32,
  scale: vec4f,
}

var<uniform> parameters: Parameters;
var<storage, read_write> y: array<vec4f>;

fn limit() -> u32 {
  return parameters.count + parameters.start;
}

@compute @workgroup_size(32)
fn uniforms(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= limit()) {
    return;
  }
  y[id.x] = y[id.x] * parameters.scale;
}

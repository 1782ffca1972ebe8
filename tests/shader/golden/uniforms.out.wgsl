struct Parameters {
  count: u32,
  start: u32,
  scale: vec4<f32>,
}

@group(0) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>;

@compute @workgroup_size(32, 1, 1)
fn uniforms(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= parameters.count + parameters.start) {
    return;
  }
  y[id.x] *= parameters.scale;
}

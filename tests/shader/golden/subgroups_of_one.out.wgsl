@group(0) @binding(0) var<storage, read_write> y: array<vec4<f32>>;

@compute @workgroup_size(1, 1, 1)
fn subgroups() {
  let v = y[0] + y[1];
  y[0] = v + vec4<f32>(0.0f) + 1.0f;
}

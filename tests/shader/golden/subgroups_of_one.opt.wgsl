@binding(0) var<storage, read_write> y: array<vec4<f32>>;

@compute @workgroup_size(1, 1, 1)
fn subgroups() {
  let v: vec4<f32> = y[0u] + y[1i];
  y[0i] = (v + vec4<f32>(0f, 0f, 0f, 0f)) + 1f;
}

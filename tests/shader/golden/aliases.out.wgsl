@group(0) @binding(0) var<storage, read_write> y: array<array<vec2<f32>, 3>>;

@compute @workgroup_size(1, 1, 1)
fn aliased() {
  y[0][1] = vec2<f32>(0.0f) + y[1][2];
}

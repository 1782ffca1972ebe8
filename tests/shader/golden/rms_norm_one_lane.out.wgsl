@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>;

@compute @workgroup_size(1, 1, 1)
fn norm(@builtin(workgroup_id) at: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
  var squares = 0.0f;
  for (var s = local.x; s < 144u; s++) {
    let v = x[s * 4u + at.x];
    squares += dot(v, v);
  }
  let scale = inverseSqrt(squares);
  for (var s_1 = local.x; s_1 < 144u; s_1++) {
    y[s_1 * 4u + at.x] = x[s_1 * 4u + at.x] * scale;
  }
}

@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>;

@compute @workgroup_size(4, 4, 4)
fn blur(@builtin(global_invocation_id) id: vec3<u32>) {
  let at = vec3<i32>(id);
  var sum = vec4<f32>(0.0f);
  for (var dy = -1i; dy <= 1i; dy++) {
    for (var dx = -1i; dx <= 1i; dx++) {
      let row = at.y + dy;
      let column = at.x + dx;
      if (row >= 0i && row < 6i && column >= 0i && column < 6i) {
        sum += x[(at.z * 6i + row) * 6i + column];
      }
    }
  }
  y[(at.z * 6i + at.y) * 6i + at.x] = sum / 9.0f;
}

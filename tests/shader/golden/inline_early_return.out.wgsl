@group(0) @binding(0) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64, 1, 1)
fn leaky(@builtin(global_invocation_id) id: vec3<u32>) {
  let x_1 = y[id.x];
  var activate_result_1 = f32();
  if (x_1 < 0.0f) {
    activate_result_1 = x_1 * 0.1f;
  } else {
    activate_result_1 = x_1;
  }
  let x_2 = y[id.x + 1u];
  var activate_result_2 = f32();
  if (x_2 < 0.0f) {
    activate_result_2 = x_2 * 0.2f;
  } else {
    activate_result_2 = x_2;
  }
  y[id.x] = activate_result_1 + activate_result_2;
}

@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>;

@compute @workgroup_size(64, 1, 1)
fn accumulate(@builtin(global_invocation_id) id: vec3<u32>) {
  var acc_0 = vec4<f32>(0.0f);
  var acc_1 = vec4<f32>(0.0f);
  var acc_2 = vec4<f32>(0.0f);
  var acc_3 = vec4<f32>(0.0f);
  for (var k = 0u; k < 8u; k++) {
    let at_1 = k * 4u;
    let chunk_2_0 = x[at_1];
    let chunk_2_1 = x[at_1 + 1u];
    let chunk_2_2 = x[at_1 + 2u];
    let chunk_2_3 = x[at_1 + 3u];
    acc_0 += chunk_2_0;
    acc_1 += chunk_2_1;
    acc_2 += chunk_2_2;
    acc_3 += chunk_2_3;
  }
  let sum = acc_0 + acc_1 + acc_2 + acc_3;
  y[id.x] = sum;
}

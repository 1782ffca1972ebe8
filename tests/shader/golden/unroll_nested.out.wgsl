@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64, 1, 1)
fn unrolled(@builtin(global_invocation_id) id: vec3<u32>) {
  var acc_0 = f32();
  var acc_1 = f32();
  var acc_2 = f32();
  var acc_3 = f32();
  acc_1 += x[id.x * 4u];
  acc_2 += x[id.x * 4u];
  acc_2 += x[id.x * 4u + 1u];
  acc_3 += x[id.x * 4u];
  acc_3 += x[id.x * 4u + 1u];
  acc_3 += x[id.x * 4u + 2u];
  y[id.x * 4u] = acc_0;
  y[id.x * 4u + 1u] = acc_1;
  y[id.x * 4u + 2u] = acc_2;
  y[id.x * 4u + 3u] = acc_3;
}

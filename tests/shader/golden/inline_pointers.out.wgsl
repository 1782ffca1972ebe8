@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64, 1, 1)
fn moments(@builtin(global_invocation_id) id: vec3<u32>) {
  var sum_1 = vec2<f32>();
  for (var i = 0u; i < 8u; i++) {
    let at_1 = id.x + i;
    sum_1.x += x[at_1];
    sum_1.y += x[at_1] * x[at_1];
    let at_2 = id.x * i;
    sum_1.x += x[at_2];
    sum_1.y += x[at_2] * x[at_2];
  }
  y[id.x] = sum_1.x * sum_1.y;
}

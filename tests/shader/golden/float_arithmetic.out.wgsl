@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>;

@compute @workgroup_size(64, 1, 1)
fn arithmetic(@builtin(global_invocation_id) id: vec3<u32>) {
  let a = x[id.x];
  let b = x[id.x + 1u];
  y[0] = a + b * a.x - 2.0f / a;
  y[1] = -(a - (b - a.x));
  y[2] = a % b;
  y[3] = a % a.x;
  y[4] = a;
}

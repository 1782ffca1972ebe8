var<storage, read> x: array<vec4f>;
var<storage, read_write> y: array<vec4f>;

@compute @workgroup_size(64)
fn arithmetic(@builtin(global_invocation_id) id: vec3u) {
  let a = x[id.x];
  let b = x[id.x + 1u];
  let s = a.x;
  y[0] = a + b * s - 2.0 / a;
  y[1] = -(a - (b - s));
  y[2] = a % b;
  y[3] = a % s;
  y[4] = - - a;
}

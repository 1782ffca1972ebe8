var<storage, read> x: array<f32>;
var<storage, read_write> y: array<f32>;

fn add(sum: ptr<function, vec2f>, at: u32) {
  (*sum).x += x[at];
  (*sum).y += x[at] * x[at];
}

@compute @workgroup_size(64)
fn moments(@builtin(global_invocation_id) id: vec3u) {
  var sum: vec2f;
  for (var i = 0u; i < 8u; i++) {
    add(&sum, id.x + i);
    add(&sum, id.x * i);
  }
  y[id.x] = sum.x * sum.y;
}

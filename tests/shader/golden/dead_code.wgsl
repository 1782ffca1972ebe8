// Neither unused values nor the resources only they used are left; bindings close up.
var<storage, read> unused: array<f32>;
var<storage, read> x: array<f32>;
var<storage, read_write> y: array<f32>;
var<private> forgotten: f32;
var<workgroup> scratch: array<f32, 64>;

fn never_called() -> f32 {
  return unused[3];
}

@compute @workgroup_size(64)
fn dead(@builtin(global_invocation_id) id: vec3u) {
  let a = unused[id.x];
  var b = a * 2.0;
  b += 3.0;
  forgotten = b;
  scratch[id.x] = b;
  for (var i = 0u; i < 10u; i++) {
    b *= 2.0;
  }
  _ = unused[1];
  if (b > 3.0) {
  }
  y[id.x] = x[id.x];
  return;
}

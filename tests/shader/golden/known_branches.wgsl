override stage: u32 = 1;
override debug: bool = false;
var<storage, read> x: array<f32>;
var<storage, read_write> log: array<f32>;
var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64)
fn stages(@builtin(global_invocation_id) id: vec3u) {
  var v = x[id.x];
  if (stage == 0u) {
    v = 0.0;
  } else if (stage == 1u) {
    v *= 2.0;
  } else {
    v *= 3.0;
  }
  if (debug && v > 0.0) {
    log[id.x] = v;
  }
  for (var i = 0u; i < stage; i++) {
    v += f32(i) + 1.0;
  }
  while (debug) {
    v = 0.0;
  }
  y[id.x] = select(v, 0.0, debug);
}

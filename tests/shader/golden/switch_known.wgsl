override mode: i32 = 2;
var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64)
fn modes(@builtin(global_invocation_id) id: vec3u) {
  switch (mode) {
    case 0: {
      y[id.x] = 1.0;
    }
    case 1, 2: {
      y[id.x] = 2.0;
    }
    default: {
      y[id.x] = 3.0;
    }
  }
}
